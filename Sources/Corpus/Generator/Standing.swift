/// Whether a record was sent as it is, and what `export` must say of it.
enum Standing: Sendable {
  /// It comes out of `export` just so.
  case whole
  /// It is there, so close to damage that `export` may doubt or miss it.
  case near
  /// Not all of its bytes are there.
  case damaged
}
