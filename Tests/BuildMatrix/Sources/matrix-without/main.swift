import Foundation

struct Point: Codable {
  var x = 1.0
  var y = 2.0
}

let data = try JSONEncoder().encode(Point())
print(try JSONDecoder().decode(Point.self, from: data).x)
