// The house rules that neither the compiler nor the linter knows. Each test says how to mend a red one.
import { expect, test } from "vitest";
import {
  missingCommands,
  missingFunctions,
  missingLinks,
  missingPaths,
  missingSettings,
  show,
  unevenRows,
} from "./tidy/references.ts";
import { dependencies, dependenciesIn } from "./tidy/dependencies.ts";
import { circlesOf, readImports, roomsOf, workspaceOf } from "./tidy/imports.ts";
import { FILES, read } from "./tidy/tree.ts";
import {
  openingsIn,
  refusedIn,
  refusedInUserFacingText,
  refusedOpenings,
  refusedWords,
} from "./tidy/words.ts";

const imports = readImports();
const workspaces = new Map(
  FILES.filter((path) => /^(?:(?:services|packages|tools)\/[^/]+|tests)\/package\.json$/.test(path)).map(
    (path) => [(JSON.parse(read(path)) as { name: string }).name, workspaceOf(path)!] as const,
  ),
);
/** Imports from one workspace into another, by their folders. */
const crossings = imports.flatMap(({ from, to, isType }) => {
  const source = workspaceOf(from) ?? "the root";
  const target = to.startsWith("@holdfast/")
    ? workspaces.get(to.split("/").slice(0, 2).join("/"))
    : to.includes("/") && FILES.includes(to)
      ? (workspaceOf(to) ?? "the root")
      : undefined;
  return target === undefined || target === source ? [] : [{ from, source, to, target, isType }];
});
const isTest = (path: string) => /\.test\.ts$|\/test\//.test(path);

test.each([
  ["paths", "name the file where it stands now, or take the sentence out", missingPaths],
  ["functions", "name the function that the step now means, and its file", missingFunctions],
  ["links", "mend the link or the heading that it names", missingLinks],
  ["commands", "name a script of package.json, or a file that is there", missingCommands],
  ["settings", "name a setting that some program or manifest reads", missingSettings],
])("documents name %s that exist: if not, %s", (_, __, missing) => {
  expect(missing().map(show)).toEqual([]);
});

test("code names decisions that are in docs/adr: name the one that now says it", () => {
  const decisions = new Set(FILES.flatMap((path) => /^docs\/adr\/\d{4}/.exec(path) ?? []));
  const named = FILES.filter((path) => /\.(?:ts|mjs|sql|ya?ml)$|Dockerfile$/.test(path)).flatMap((path) =>
    [...read(path).matchAll(/docs\/adr\/\d{4}|\bADR \d{4}(?!\]\()/g)].map(([name]) => `${path}: ${name}`),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((place) => !decisions.has(place.split(": ")[1]!))).toEqual([]);
});

test("a git host shows tables whole: give each row as many cells as the head has", () => {
  expect(unevenRows().map(show)).toEqual([]);
  const planted = "| a | b |\n| - | - |\n| 1 | 2 |\n| 1 |\n\n| c |\n| - |\n| 3 \\| 4 |\n| 3 | 4 |\n";
  expect(unevenRows(["guide.md"], () => planted).map(({ line }) => line)).toEqual([4, 9]);
});

test("the README is read in one go: what is longer than 8 kB belongs in docs/", () => {
  expect(Buffer.byteLength(read("README.md"))).toBeLessThanOrEqual(8_192);
});

test.each(["services", "packages", "tools"])(
  "ARCHITECTURE's table of %s is the tree: add, rename or delete the row",
  (shelf) => {
    const inTree = [...workspaces.values()].filter((path) => path.startsWith(`${shelf}/`));
    const rows = [...read("ARCHITECTURE.md").matchAll(/^\| `([a-z-]+)` +\|/gm)].map(([, name]) => name);
    for (const path of inTree) expect(rows, `${path} has no row`).toContain(path.split("/")[1]);
    const known = new Set([...workspaces.values()].map((path) => path.split("/").at(-1)));
    for (const row of rows) expect(known, `the row ${row} has no folder`).toContain(row);
  },
);

test("imports go one way: services and tools import packages, only tools/holdfast imports services, nothing imports tests", () => {
  const wrong = crossings.filter(({ from, source, target }) => {
    if (source === "tests" || source === "the root" || source === "scripts" || source === "deploy")
      return false;
    // A test beside its code may start a database, a bank or a receiver; another service is tested in tests/.
    if (isTest(from)) return target.startsWith("services/");
    // The one program of the product imports its services.
    if (source === "tools/holdfast" && target.startsWith("services/")) return false;
    return !target.startsWith("packages/") && !(source.startsWith("tools/") && target.startsWith("tools/"));
  });
  expect(
    wrong.map(
      ({ from, to }) =>
        `${from} imports ${to}: move the file, or what it needs, to a shelf that both may import`,
    ),
  ).toEqual([]);
});

/** Lines that have the compiler believe a type, without a comment above them. */
function castsIn(text: string): string[] {
  const lines = text.split("\n");
  return lines.filter(
    (line, index) =>
      /\bas (?:(?:never|any)(?=[,;)\]}]|$)|unknown as [A-Z{(])/.test(line) &&
      !/^\s*\/\//.test(lines[index - 1] ?? ""),
  );
}

test("the compiler checks each type: take the cast out, or say in the line above why it holds", () => {
  const product = FILES.filter(
    (path) => /^(?:services|packages)\/[^/]+\/src\/.*\.ts$/.test(path) && !isTest(path),
  );
  expect(product.flatMap((path) => castsIn(read(path)).map((line) => `${path}: ${line.trim()}`))).toEqual([]);
  expect(castsIn("// It is one.\nf(a as never);\nf(a as never);\nb as unknown as C;\n")).toHaveLength(2);
});

test("a function gets at most eight dependencies: group its settings, or make a module of what belongs together", () => {
  const all = dependencies();
  expect(all.length).toBeGreaterThan(200);
  const many = all.filter(({ names }) => names.length > 8);
  expect(many.map(({ place, names }) => `${place} has ${names.length}: ${names.join(" ")}`)).toEqual([]);
  const planted = `
    type OneDeps = TwoDeps & { a: (x: X) => Y; /** A note. */ b?: B<X, Y> } & Omit<TwoDeps, "c">;
    type TwoDeps = { readonly c: C; d(x: X): Y };
    function one(deps: Pick<OneDeps, keyof TwoDeps | "a"> & { e: E }, x: X) {}`;
  expect(dependenciesIn("one.ts", planted).map(({ names }) => names.join(""))).toEqual([
    "abcd",
    "cd",
    "acde",
  ]);
});

test("contracts imports nothing of ours", () => {
  const own = crossings.filter(({ source, from }) => source === "packages/contracts" && !isTest(from));
  expect(
    own.map(({ from, to }) => `${from} imports ${to}: pass it in, or move it to the package that needs it`),
  ).toEqual([]);
});

test("a workspace is imported by its name, not by a path into it", () => {
  const byPath = crossings.filter(
    ({ to, source }) => !to.startsWith("@holdfast/") && source !== "tests" && source !== "the root",
  );
  expect(byPath.map(({ from, to }) => `${from} imports ${to}: import the workspace's name`)).toEqual([]);
});

test("a workspace lists what it imports", () => {
  const unlisted = crossings.flatMap(({ from, source, to }) => {
    const name = to.split("/").slice(0, 2).join("/");
    if (
      isTest(from) ||
      !workspaces.has(name) ||
      source === "the root" ||
      !FILES.includes(`${source}/package.json`)
    )
      return [];
    const manifest = JSON.parse(read(`${source}/package.json`)) as Record<
      string,
      Record<string, string> | undefined
    >;
    const listed = { ...manifest["dependencies"], ...manifest["devDependencies"] };
    return name in listed ? [] : [`${source}/package.json does not list ${name}, which ${from} imports`];
  });
  expect([...new Set(unlisted)]).toEqual([]);
});

test("packages have no circle at run time: move what both need into one of them", () => {
  const arrows = crossings.filter(({ isType, from }) => !isType && !isTest(from));
  expect(circlesOf(arrows.map(({ source, target }) => [source, target] as const))).toEqual([]);
});

test("rooms have no circle at run time, however deep they lie: move what both rooms need into a third", () => {
  const arrows = imports.filter(
    ({ from, to, isType }) => !isType && from !== to && !isTest(from) && FILES.includes(to),
  );
  const inWorkspace = arrows.filter(({ from, to }) => workspaceOf(from) === workspaceOf(to));
  expect(circlesOf(inWorkspace.map(roomsOf))).toEqual([]);
});

const LEDGER = "services/payments/src/bank/ledger/";
const inProduct = (pattern: RegExp) =>
  FILES.filter((path) => /^(?:services|packages|tools)\/.*\.ts$/.test(path) && !isTest(path)).filter((path) =>
    pattern.test(read(path)),
  );

test("one module begins, notes and judges calls to banks: put what does so into the ledger (docs/adr/0054)", () => {
  const outside = (pattern: RegExp) => inProduct(pattern).filter((path) => !path.startsWith(LEDGER));
  expect(inProduct(/insert into bank_call|update bank_call/).length).toBeGreaterThan(1);
  expect(
    outside(
      /(?:into|update|from|join)\s+bank_call|(?:insertInto|updateTable|selectFrom|deleteFrom)\("bank_call"/,
    ),
  ).toEqual([]);
  // A time since a sending, or an age, beside a horizon.
  expect(inProduct(/[<>]=?\s*horizonMs|horizonMs\s*[<>]/)).toEqual([`${LEDGER}bank-call.ts`]);
  // Columns in which such a fact could be kept a second time.
  const tables = ["payments", "refunds"].flatMap((service) => {
    const schema = read(`services/${service}/migrations/0001-${service}.sql`);
    return [...schema.matchAll(/create table (\w+) \(([^]*?)\n\)/g)].flatMap(([, table, columns]) =>
      /^\s+\w*(?:sent|sends|sub_reference)\w*\s/m.test(columns!) ? [table] : [],
    );
  });
  expect(tables).toEqual(["bank_call"]);
});

test("a bank's movements and reversals are requested in the ledger's calls alone", () => {
  const calls = /\.(?:capture|cancel|release|refund|reverse|sale|authorize|complete|enrol)\((?:request|\{)/;
  const places = inProduct(calls).filter((path) => path.startsWith("services/"));
  expect(places.toSorted()).toEqual([
    "services/payments/src/accept/authorization/authorize-payment.ts",
    "services/payments/src/accept/three-ds/complete-authorization.ts",
    "services/payments/src/accept/three-ds/enrol-payment.ts",
    "services/payments/src/unknown/recovery/undo-payment.ts",
  ]);
});

test.each([
  ["a service", "services/payments/src/a/one.ts", "services/payments/src/b/two.ts"],
  [
    "a folder below",
    "services/api-gateway/src/public-pages/a/one.ts",
    "services/api-gateway/src/public-pages/b.ts",
  ],
  ["the tests", "tests/chaos/settle.ts", "tests/chaos/system/two.ts"],
])("a circle in %s is found", (_where, from, to) => {
  const circle = [
    { from, to, isType: false },
    { from: to, to: from, isType: false },
  ];
  expect(circlesOf(circle.map(roomsOf))).toHaveLength(1);
});

test("an operation is written once, in contracts' operations (docs/adr/0061)", () => {
  const outside = (pattern: RegExp, ...places: string[]) =>
    inProduct(pattern).filter(
      (path) => !places.some((place) => path.startsWith(`packages/contracts/src/${place}`)),
    );
  expect(inProduct(/define(?:Operator|Merchant)Operations\(\{/).length).toBeGreaterThan(10);
  expect(outside(/define(?:Operator|Merchant)Operations\(/, "operations/")).toEqual([]);
  // An endpoint, or a command, beside its operation.
  expect(outside(/^\s+listener: "(?:merchant|operator|staff)",/m, "operations/")).toEqual([]);
  expect(outside(/define(?:Operator|Staff|Service)?Command\(/, "messages/", "operations/")).toEqual([]);
  // A route of operators that passes its parameters and its body on, and nothing else.
  const forwards =
    /defineRoute\(operations\.(\w+), async \(call\) =>[^;]*send\(operations\.\1\.command, call, (?:call\.path|\{ \.\.\.call\.path, \.\.\.call\.body \})\)/;
  const written = inProduct(forwards).filter((path) => path.includes("/operator-api/"));
  expect(written.map((path) => `${path}: delete the route, the gateway forwards it`)).toEqual([]);
});

test("a file or folder has a name that says what is in it: rename it after its main export", () => {
  const vague = /(?:^|\/)(?:utils?|common|helpers?|shared|misc|types|interfaces|lib)(?:\/|\.[mc]?[jt]s$)/;
  expect(FILES.filter((path) => vague.test(path))).toEqual([]);
});

test("files and functions have their tripwires, and whoever steps over one says why", () => {
  const { rules } = JSON.parse(read(".oxlintrc.json")) as { rules: Record<string, unknown> };
  expect(rules["max-lines"]).toEqual(["error", { max: 250, skipBlankLines: true, skipComments: true }]);
  expect(rules["max-lines-per-function"]).toEqual([
    "error",
    { max: 60, skipBlankLines: true, skipComments: true },
  ]);
  const unreasoned = FILES.filter((path) => path.endsWith(".ts")).flatMap((path) =>
    [...read(path).matchAll(/(?:oxlint|eslint)-disable[^\n]*/g)]
      .filter(([text]) => !/ -- \S/.test(text) && path !== "tests/tidy.test.ts")
      .map(([text]) => `${path}: ${text}: end it with " -- " and the reason`),
  );
  expect(unreasoned).toEqual([]);
});

test("what users read has the glossary's words: say what the message says", () => {
  expect(refusedInUserFacingText()).toEqual([]);
});

test.each([
  ["Let go of a pre-authorization", "say release"],
  ["The gateway draws the payment's id", "say generate"],
  ["A secret is drawn", "say generate"],
  ["The test holds the document to the code", "say enforce"],
  ["The bank holds the money", "say reserve"],
  ["The bank said no", "say decline"],
  ["Take a payment", "say accept payments"],
  ["A capture is undone", "say reverse"],
  ["It breaks one of our own rules", "say merchant rules"],
  ["The bin table", "say BIN"],
  ["A payment in doubt", "say unknown outcome"],
  ["It is reversed at once", "say immediately"],
  ["It is repeated for ever", "say forever"],
  ["The file is written anew", "say again"],
  ["The merchant hears of it", "say receive"],
  ["The buyer is told", "say get"],
  ["Your bank wants to be sure", "say need"],
  ["The server speaks TLS", "say use"],
  ["A «quoted» word", "say straight quotes"],
])("is refused: %s", (planted, instead) => {
  expect(refusedWords(planted)).toEqual([expect.stringContaining(instead)]);
});

test.each([
  ["docs/guide.md", "# Guide\n\nIt is done at once.", "docs/guide.md:3"],
  [
    "docs/openapi.merchant.json",
    '{"paths":{"/a":{"summary":"Done at once"}}}',
    "docs/openapi.merchant.json/paths//a/summary",
  ],
  ["tools/help.ts", 'const help: string =\n  "it is done at once";', "tools/help.ts:2"],
  ["tools/help.ts", "const help = `${name} is done at once`;", "tools/help.ts:1"],
])("is found in %s: %s", (path, content, place) => {
  expect(refusedIn(path, content)).toEqual([`${place}: "at once": say immediately, or at the same time`]);
});

test.each([
  ["docs/guide.md", "The reply is `in doubt`.\n\n```sh\necho at once\n```\n"],
  ["docs/security.md", '- Test: `a.test.ts`: "is reversed at once"'],
  ["docs/openapi.merchant.json", '{"enum":["in_doubt"],"examples":["at once"]}'],
  [
    "tools/help.ts",
    'import { anew } from "./anew.ts"; // at once\nexport const state: "in_doubt" = anew("in_doubt");',
  ],
])("is left alone in %s: %s", (path, content) => {
  expect(refusedIn(path, content)).toEqual([]);
});

test("a comment begins with a noun phrase or a verb: put the subject first", () => {
  expect(refusedOpenings()).toEqual([]);
});

test.each([
  ["one.ts", "/** What an account needs. */", ["one.ts:1: What an account needs. */"]],
  ["one.ts", "const a = 1;\n/**\n * Whoever asks.\n */", ["one.ts:3: Whoever asks."]],
  ["one.mjs", "const a = 1; // Of one that is not known", ["one.mjs:1: Of one that is not known"]],
  ["one.sql", "select 1;\n-- Where nothing is said", ["one.sql:2: Where nothing is said"]],
  ["one.ts", "// The parts of an account\n// Of these one is needed.", []],
  ["one.ts", "/** Whose turn it is. */\n/**\n * The account.\n * What it needs.\n */", []],
])("the opening of comments in %s: %j", (path, content, refused) => {
  expect(openingsIn(path, content)).toEqual(refused);
});

test("the dark theme changes colours alone, as the browser tests ask axe of it about nothing else", () => {
  const themes = FILES.filter((path) => path.endsWith(".css")).flatMap((path) => {
    const [, ...blocks] = read(path).split("@media (prefers-color-scheme: dark)");
    return blocks.map((block) => ({ path, block: block.slice(0, block.indexOf("\n}")) }));
  });
  expect(themes.length).toBeGreaterThan(2);
  const others = themes.flatMap(({ path, block }) =>
    block
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => !/^([{}]|:root \{|color-scheme: dark;|--[a-z-]+: #[0-9a-f]{6};|)$/.test(line))
      .map((line) => `${path}: ${line}`),
  );
  expect(others).toEqual([]);
});
