import Keepsake

/// An ``Address`` that declares its fields.
struct DeclaredAddress: ArchivedFields, Equatable {
  var street = ""
  var city = ""
  var postalCode = 0
}

/// A ``Record`` that declares its fields.
struct DeclaredRecord: ArchivedFields, Equatable {
  var identifier = 0
  var visits: Int32 = 0
  var name = ""
  var email = ""
  var balance = 0.0
  var isActive = false
  var tags: [String] = []
  var address = DeclaredAddress()
  var nickname: String?
}

extension DeclaredRecord {
  /// Makes a record with the same data.
  init(_ record: Record) {
    self.init(
      identifier: record.identifier,
      visits: record.visits,
      name: record.name,
      email: record.email,
      balance: record.balance,
      isActive: record.isActive,
      tags: record.tags,
      address: DeclaredAddress(
        street: record.address.street,
        city: record.address.city,
        postalCode: record.address.postalCode
      ),
      nickname: record.nickname
    )
  }
}
