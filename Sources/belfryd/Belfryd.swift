@main
struct Belfryd {
    static func main() {}
}
