// libFuzzer has the main, and calls what Driver.swift has. SwiftPM would give the main of a program
// of Swift another name.
