/// The controls of the command itself: the only escapes that reach a terminal (ECMA-48, xterm).
enum TerminalControl: String {
    case dim = "\u{1B}[2m"
    case bold = "\u{1B}[1m"
    /// Neither dim nor bold.
    case plain = "\u{1B}[0m"
    /// Back to the beginning of the line.
    case lineStart = "\r"
    /// Empties the line from here.
    case clearLine = "\u{1B}[K"
    /// Empties the screen from here.
    case clearBelow = "\u{1B}[J"
    /// To the first place of the screen.
    case home = "\u{1B}[H"
    /// A screen of its own, without a cursor, on which long lines are cut.
    case ownScreen = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
    /// The screen from before.
    case usualScreen = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
}
