/// The APNs key that everything here sends with.
struct ProviderCredential {
  /// PKCS #8, PEM.
  let keyFile: String
  let publicKeyFile: String
  let keyID = "BENCHKEY01"
  let teamID = "BENCHTEAM1"
}
