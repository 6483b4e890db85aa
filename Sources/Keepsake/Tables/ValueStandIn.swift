/// A value of the library's own that stands for one of the program.
protocol ValueStandIn {
  var original: Any { get }
}

/// What a program knows of `value`.
func shown(_ value: Any) -> Any { (value as? any ValueStandIn)?.original ?? value }
