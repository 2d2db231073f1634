import Foundation
import PackagePlugin

/// Embeds the files of a target that are no sources: `EmbeddedFiles.all` has their texts by their
/// names, and a document in Markdown as the page that browsers are shown.
///
/// SwiftPM's own `embedInCode` writes an array of numbers, one a byte, which takes the compiler a
/// hundred times as long as a literal of text.
@main
struct EmbedFiles: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let module = target.sourceModule else { return [] }
        let files = module.sourceFiles.filter { $0.type == .unknown }
            .map(\.url).sorted { $0.path < $1.path }
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        return [
            .buildCommand(
                displayName: "Embedding \(files.count) files of \(target.name)",
                executable: try context.tool(named: "embed-files").url,
                arguments: [output.path] + files.map(\.path),
                inputFiles: files, outputFiles: [output])
        ]
    }
}
