/// Where the last body began that was asked for in each of some groups of the offset table: the next one in the
/// group is found from there, and not from the beginning of the group (Format §5.6).
///
/// Whoever reads a tree depth first, whose bodies stand breadth first, is in as many places as the tree is deep.
struct BodyPlaces {
  private static let count = 64

  private struct Place {
    var group = -1
    var index = 0
    var start = 0
  }

  private var places = [Place](repeating: Place(), count: BodyPlaces.count)

  /// A body of `group` no later than that at `index`, of which the beginning is known.
  @inline(__always)
  func nearest(_ group: Int, _ index: Int) -> (start: Int, index: Int)? {
    let place = places[group & (BodyPlaces.count &- 1)]
    return place.group == group && place.index <= index ? (place.start, place.index) : nil
  }

  @inline(__always)
  mutating func note(_ group: Int, _ index: Int, _ start: Int) {
    places[group & (BodyPlaces.count &- 1)] = Place(group: group, index: index, start: start)
  }
}
