import ProviderLogs
import Testing

@Suite("docs/spec/provider-logs.md#tables: tables")
struct LogTableTests {
  static let tables: [LogCase] = [
    LogCase(
      "commas", "token,status,reason,timestamp\nab,200,,\ncd,410,Unregistered,1700000000123\n", "passed",
      "push 2 token=ab status=200", "push 3 token=cd status=410 reason=Unregistered time=1700000000123"),
    LogCase("tabs", "status\ttoken\n200\tab\n", "passed", "push 2 token=ab status=200"),
    LogCase("semicolons", "status;token\n200;ab\n", "passed", "push 2 token=ab status=200"),
    LogCase(
      "lines of Windows, and a byte order mark", "\u{feff}token,status\r\nab,200\r\n\r\ncd,400\r\n", "passed",
      "push 2 token=ab status=200", "passed", "push 4 token=cd status=400"),
    LogCase("no line end", "token,status\nab,200", "passed", "push 2 token=ab status=200"),
    LogCase(
      "quotes", "\"token\",\"topic\",\"status\"\n\"ab\",\"a \"\"b\"\", c\",\"200\"\n", "passed",
      "push 2 token=ab topic=a \"b\", c status=200"),
    LogCase(
      "lines in quotes", "note,token,status\n\"a\nb\n\",ab,200\nx,cd,400\n", "passed",
      "push 2 token=ab status=200",
      "push 5 token=cd status=400"),
    LogCase(
      "a quote that is not closed", "note,token,status\nx,ab,200\n\"y,cd,400\nz,ef,500\n", "passed",
      "push 2 token=ab status=200", "bad 3+1 openQuote", "push 4 token=ef status=500"),
    // Found by a fuzzer: the range of the finding ended before it began, which ended the process.
    LogCase(
      "a quote that is not closed, in a row of two lines",
      "note,token,status\n\"a\nb\",\"c,ab,200\nz,ef,500\n", "passed", "bad 2+2 openQuote",
      "push 4 token=ef status=500"),
    LogCase(
      "text after a quote", "token,status\n\"ab\"x,200\ncd,400\n", "passed", "bad 2+1 textAfterQuote",
      "push 3 token=cd status=400"),
    LogCase(
      "a quote within a field", "token,topic,status\nab,a\"b,200\n", "passed",
      "push 2 token=ab topic=a\"b status=200"),
    LogCase(
      "too few columns, and too many", "token,status\nab\ncd,400\nef,500,x\n", "passed",
      "bad 2+1 columns(found: 1, expected: 2)", "push 3 token=cd status=400",
      "bad 4+1 columns(found: 3, expected: 2)"),
    LogCase("no answer", "token,status,reason\nab,,\n", "passed", "push 2 token=ab no-response"),
    LogCase("no token", "token,status\n,200\n", "passed", "unrelated 2+1"),
    LogCase("no header of a push", "name,status\nab,200\n", "unrelated 1+2"),
  ]

  @Test(arguments: tables)
  func table(_ table: LogCase) throws {
    #expect(try DecodedLog(table.log).steps == table.steps)
  }
}
