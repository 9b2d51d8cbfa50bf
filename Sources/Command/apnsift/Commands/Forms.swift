import ArgumentParser
import Basics
import CommandOptions
import ProviderLogs

struct Forms: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forms", abstract: "Print the forms of log lines, or test your own.",
    usage: "apnsift forms [--test <FILE>]",
    discussion: """
      A form is a regular expression whose named groups are the fields of a push, with samples that are its test. \
      The output is a file of all built-in forms, which are tried after those of --forms. JSON, tables, and lines with \
      names such as token=… need none.

      EXAMPLES
        apnsift forms > my-forms.yml
        apnsift forms --test my-forms.yml
        apnsift export --records pushes --forms my-forms.yml push.log
      """)

  @Option(help: .init("Read the samples of this file of forms, and compare.", valueName: "FILE"))
  var test: LineFormsArgument?

  func validate() throws { try test?.check() }

  func run() throws {
    guard let test else { return print(LineForm.builtInText, terminator: "") }
    let forms = try test.forms.get()
    var failures = 0
    for form in forms {
      for (index, sample) in form.samples.enumerated() {
        guard let message = sample.message(of: form, among: forms) else { continue }
        failures += 1
        Console.say("\(test.path): sample \(index + 1) of \(form.name): \(message)")
      }
    }
    let samples = forms.reduce(0) { $0 + $1.samples.count }
    Console.note(
      "tested \(Count.of(forms.count, "form")) with \(Count.of(samples, "sample")): "
        + (failures == 0 ? "all are read as they say" : "\(Count.of(failures, "sample")) read otherwise"))
    if failures > 0 { throw ExitStatus.found }
  }
}
