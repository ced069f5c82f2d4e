import Foundation

// The work is in a function: globals of main.swift are isolated to the main actor, and this thread soon sleeps in
// sigwait for good.
exit(Program.run(Array(CommandLine.arguments.dropFirst())))
