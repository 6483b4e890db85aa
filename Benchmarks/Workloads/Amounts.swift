import Foundation

/// A payment, and what remains per head: decimals with few digits and with many.
struct Payment: Codable, Equatable {
  var amount: Decimal
  var share: Decimal
}

extension Workload {
  /// An array of decimals in pairs.
  static let amounts = Workload(name: "amounts", countingDivisor: 100) { scale in
    var generator = SeededGenerator(seed: 12)
    let payments = (0..<scale.count(50_000)).map { _ in
      let amount = Decimal(Int.random(in: 1...1_000_000, using: &generator)) / 100
      return Payment(amount: amount, share: amount / 7)
    }
    return PreparedWorkload(
      title: "\(Figure.count(payments.count)) amounts of money, each with a seventh of it",
      unit: .nanosecondsPer("pair", count: payments.count),
      value: payments
    )
  }
}
