/// A protocol that has the name of another one, in the module of a test.
public protocol BellObserver: AnyObject {
    func bellRang()
}
