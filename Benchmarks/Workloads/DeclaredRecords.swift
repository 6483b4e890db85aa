import Keepsake

/// An ``Address`` that declares its fields.
struct DeclaredAddress: ArchivedFields, Equatable {
  var street = ""
  var city = ""
  var postalCode = 0

  static let archivedFields: [ArchivedField<DeclaredAddress>] = [
    .init("street", \.street), .init("city", \.city), .init("postalCode", \.postalCode),
  ]
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

  static let archivedFields: [ArchivedField<DeclaredRecord>] = [
    .init("identifier", \.identifier), .init("visits", \.visits), .init("name", \.name),
    .init("email", \.email), .init("balance", \.balance), .init("isActive", \.isActive),
    .init("tags", \.tags), .init("address", \.address), .init("nickname", \.nickname),
  ]
}

extension DeclaredRecord {
  /// The same data.
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
