import ts from 'typescript'

/**
 * The modules a text names: imports, re-exports, `import()`, `require()`, `import('…')` in types;
 * types count too.
 */
export function moduleNames(fileName: string, text: string): string[] {
  const names: string[] = []
  walk(parse(fileName, text), (node) => {
    const specifier = specifierOf(node)
    if (specifier !== undefined && ts.isStringLiteralLike(specifier)) names.push(specifier.text)
    else if (specifier !== undefined) names.push('<computed>')
  })
  return names
}

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier
  if (ts.isExternalModuleReference(node)) return node.expression
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal
  if (!ts.isCallExpression(node)) return undefined
  const { expression } = node
  const loads =
    expression.kind === ts.SyntaxKind.ImportKeyword ||
    (ts.isIdentifier(expression) && expression.text === 'require')
  return loads ? node.arguments[0] : undefined
}

/** Whether a module consists of `export … from` alone. */
export function reExportsOnly(fileName: string, text: string): boolean {
  return parse(fileName, text).statements.every(
    (statement) => ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined,
  )
}

/**
 * Those of the names that a text takes from the global scope. A property of that name is none, nor
 * is a variable the text makes itself; one that it only declares, with `declare`, is.
 */
export function globalsUsed(fileName: string, text: string, names: readonly string[]): string[] {
  const options: ts.CompilerOptions = { noLib: true, noResolve: true, allowJs: true, types: [] }
  const file = parse(fileName, text)
  const host = ts.createCompilerHost(options)
  const program = ts.createProgram([fileName], options, {
    ...host,
    getSourceFile: (path) => (path === fileName ? file : undefined),
  })
  const checker = program.getTypeChecker()
  const used = new Set<string>()
  walk(file, (node) => {
    if (!ts.isIdentifier(node) || !names.includes(node.text) || !isReference(node)) return
    const kind = ts.isPartOfTypeNode(node) ? ts.SymbolFlags.Type : ts.SymbolFlags.Value
    const own = checker.getSymbolsInScope(node, kind).find((symbol) => symbol.name === node.text)
    const isMade = own?.declarations?.some(
      (declaration) => (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Ambient) === 0,
    )
    if (!isMade) used.add(node.text)
  })
  return [...used]
}

/**
 * An identifier that is read or written, as against the name of a property, a member or a
 * declaration.
 */
function isReference(node: ts.Identifier): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node
  if (ts.isQualifiedName(parent)) return parent.left === node
  if (ts.isBindingElement(parent)) return parent.initializer === node
  if (ts.isShorthandPropertyAssignment(parent)) return true
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent)) return false
  return !('name' in parent && parent.name === node)
}

function parse(fileName: string, text: string): ts.SourceFile {
  return ts.createSourceFile(fileName, text, ts.ScriptTarget.ES2022, true)
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node)
  ts.forEachChild(node, (child) => walk(child, visit))
}
