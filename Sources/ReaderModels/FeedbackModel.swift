/// The four feedback readers, by the names and in the order of docs/spec/readers.md#models.
public enum FeedbackModel: String, CaseIterable, Sendable {
  case cookbook
  case csharp
  case node
  case java

  /// Whether it makes different things of the same bytes where they are cut differently.
  public var dependsOnChunks: Bool { self != .node }

  /// Runs the reader over the stream `bytes`: what it reports goes to `receiver` in its order. Time and memory
  /// are bounded whatever the bytes: a reader that would never end is recognised, not run.
  @inlinable
  public func read<Receiver: EmissionReceiver>(
    _ bytes: RawSpan, cut chunking: Chunking, into receiver: inout Receiver
  ) -> ReaderEnding {
    switch self {
    case .cookbook: CookbookReader.read(bytes, cut: chunking, into: &receiver)
    case .csharp: CSharpReader.read(bytes, cut: chunking, into: &receiver)
    case .node: NodeReader.read(bytes, into: &receiver)
    case .java: JavaReader.read(bytes, cut: chunking, into: &receiver)
    }
  }
}
