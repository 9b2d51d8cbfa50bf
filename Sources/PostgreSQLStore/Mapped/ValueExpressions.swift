import TokenStores

/// SQL that reads and writes tokens in the forms that columns have; what TokenForm does in Swift.
enum TokenExpressions {
  /// The bytes of `value`; null where it is no token of the form.
  static func bytes(of value: String, _ form: TokenForm) -> String {
    switch form {
    case .bytes: return value
    case .hex, .upperHex, .spacedHex, .bracketedHex:
      let digits = "translate(\(value)::text, E' <>\\t\\r\\n', '')"
      return "CASE WHEN \(digits) ~ '^([0-9A-Fa-f]{2})+$' THEN decode(\(digits), 'hex') END"
    case .base64:
      let digits = "rtrim(translate(\(value)::text, E'-_ \\t\\r\\n', '+/'), '=')"
      return """
        CASE WHEN \(digits) ~ '^[A-Za-z0-9+/]+$' AND length(\(digits)) % 4 <> 1
          THEN decode(rpad(\(digits), (length(\(digits)) + 3) / 4 * 4, '='), 'base64') END
        """
    }
  }

  /// Whether programs that write this form write a token in one way, as far as they keep to it.
  static func hasOneSpelling(_ form: TokenForm) -> Bool {
    switch form {
    case .bytes, .hex, .upperHex: true
    case .spacedHex, .bracketedHex, .base64: false
    }
  }

  /// Whether `value` may be a token in another spelling; nil where there is none.
  static func isOther(_ value: String, _ form: TokenForm) -> String? {
    // A pattern takes a tenth of the time that translate() takes.
    switch form {
    case .bytes, .spacedHex, .bracketedHex, .base64: nil
    case .hex: "\(value)::text ~ '[^0-9a-f]'"
    case .upperHex: "\(value)::text ~ '[^0-9A-F]'"
    }
  }

  static func value(of bytes: String, _ form: TokenForm) -> String {
    let hex = "encode(\(bytes), 'hex')"
    let groups = "regexp_replace(\(hex), '(.{8})(?=.)', '\\1 ', 'g')"
    return switch form {
    case .bytes: bytes
    case .hex: hex
    case .upperHex: "upper(\(hex))"
    case .spacedHex: groups
    case .bracketedHex: "'<' || \(groups) || '>'"
    case .base64: "translate(encode(\(bytes), 'base64'), E'\\n', '')"
    }
  }
}

/// SQL that reads and writes times in the forms that columns have; what TimeForm does in Swift.
enum TimeExpressions {
  private static let date = #"\d{4}-\d\d-\d\d"#
  private static let offset = #"(Z|z|[+-]\d\d(:?\d\d)?)"#

  static func isForeign(_ value: String, _ form: TimeForm) -> String {
    switch form {
    case .seconds, .milliseconds: "\(value)::text IN ('NaN', 'Infinity', '-Infinity')"
    case .timestamptz, .timestamp: "NOT isfinite(\(value))"
    case .iso: "\(value)::text !~ '^\(date)([Tt ]\\d\\d:\\d\\d(:\\d\\d([.]\\d+)?)? ?\(offset)?)?$'"
    }
  }

  /// UNIX seconds, rounded down.
  static func seconds(of value: String, _ form: TimeForm) -> String {
    let exact =
      switch form {
      case .seconds: "\(value)::numeric"
      case .milliseconds: "\(value)::numeric / 1000"
      case .timestamptz: "extract(epoch FROM \(value))"
      case .timestamp(let zone): "extract(epoch FROM \(value) AT TIME ZONE \(SQLWords.literal(zone)))"
      case .iso:
        """
        extract(epoch FROM CASE WHEN \(value)::text ~ ':.*\(offset)$' THEN \(value)::text::timestamptz
          ELSE \(value)::text::timestamp AT TIME ZONE 'UTC' END)
        """
      }
    return "CASE WHEN NOT \(isForeign(value, form)) THEN floor(\(exact))::bigint END"
  }

  static func value(of seconds: String, _ form: TimeForm) -> String {
    switch form {
    case .seconds: seconds
    case .milliseconds: "\(seconds) * 1000"
    case .timestamptz: "to_timestamp(\(seconds))"
    case .timestamp(let zone): "to_timestamp(\(seconds)) AT TIME ZONE \(SQLWords.literal(zone))"
    case .iso: #"to_char(to_timestamp(\#(seconds)) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')"#
    }
  }
}
