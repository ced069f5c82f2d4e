/// Which APNs host an installation's token belongs to (K3).
package enum APNsEnvironment: Int16, Sendable, CaseIterable {
  case production = 1
  case sandbox = 2
}
