/// The four feedback readers, by the names and in the order of docs/spec/readers.md#models.
public enum FeedbackModel: String, CaseIterable, Sendable {
  case cookbook
  case csharp
  case node
  case java

  public var dependsOnChunks: Bool { self != .node }

  /// Runs the reader on the stream `bytes`, and passes its records to `receiver` in its order. Time and memory are
  /// bounded for any input: an endless loop of the reader is detected, not executed.
  @inlinable
  public func read<Receiver: RecordReceiver>(
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
