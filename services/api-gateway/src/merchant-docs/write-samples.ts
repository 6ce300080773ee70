import { withoutTrailingSlashes } from "../public-pages/public-url.ts";
import { CLIENT_CALLS, type ClientCall } from "./client-calls.ts";
import type { Operation } from "./merchant-document.ts";

/** The package of the merchants' client, which the examples import. */
const CLIENT = "@holdfast/client";

/** The languages of the examples, by the marks of their blocks in Markdown. */
export const LANGUAGES = { sh: "curl", ts: "TypeScript", php: "PHP" } as const;

/** One request as a program sends it. */
export type Sample = { language: keyof typeof LANGUAGES; code: string };

/**
 * The request of an operation's example in each language; in TypeScript only if the client has a method for
 * it. Values of paths and queries are environment variables. Tests run each sample.
 *
 * @param apiUrl the address of the merchant API.
 */
export function samplesOf(
  { method, path, operation }: { method: string; path: string; operation: Operation },
  apiUrl: string,
): Sample[] {
  const { operationId, parameters = [], requestBody } = operation;
  const namesIn = (place: string) =>
    parameters.filter((each) => each.in === place && each.required === true).map(({ name }) => name);
  const query = namesIn("query");
  const request: Request = {
    method,
    apiUrl: withoutTrailingSlashes(apiUrl),
    target: [path, query.map((name) => `${name}={${name}}`).join("&")].filter(Boolean).join("?"),
    names: namesIn("path"),
    query,
    takesKey: parameters.some(({ name }) => name === "Idempotency-Key"),
    body: Object.values(requestBody?.content ?? {})[0]?.example,
  };
  const call = CLIENT_CALLS[operationId];
  const samples: (Sample | undefined)[] = [
    { language: "sh", code: writeCurl(request) },
    call && { language: "ts", code: writeTypeScript(request, call) },
    { language: "php", code: writePhp(request) },
  ];
  return samples.filter((sample) => sample !== undefined);
}

type Request = {
  method: string;
  apiUrl: string;
  /** The path with the query that is needed; values are names in braces. */
  target: string;
  /** The names in the path. */
  names: string[];
  query: string[];
  takesKey: boolean;
  body: unknown;
};

/** `paymentId` is `PAYMENT_ID`. */
function variableOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

function writeCurl({ method, apiUrl, target, takesKey, body }: Request): string {
  const address = target.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${variableOf(name)}`);
  const json = body === undefined ? undefined : jsonOf(body).replaceAll("'", QUOTE);
  const isUsual = method === (body === undefined ? "GET" : "POST");
  return [
    `curl -sS ${isUsual ? "" : `-X ${method} `}"${apiUrl}${address}"`,
    `-H "X-API-KEY: $API_KEY" -H "X-API-SECRET: $API_SECRET"`,
    ...(takesKey ? [`-H "Idempotency-Key: $KEY"`] : []),
    ...(json === undefined ? [] : [`-H 'Content-Type: application/json' -d '${json}'`]),
  ].join(" \\\n  ");
}

/** An apostrophe within a text of the shell between apostrophes. */
const QUOTE = String.raw`'\''`;

function jsonOf(body: unknown): string {
  return JSON.stringify(body, null, 2);
}

function writeTypeScript({ apiUrl, names, query, body }: Request, [method, returns]: ClientCall): string {
  const valueOf = (name: string) => `process.env.${variableOf(name)}!`;
  const filter = query.map((name) => `${name}: ${valueOf(name)}`).join(", ");
  const given = [
    ...names.map(valueOf),
    ...(filter === "" ? [] : [`{ ${filter} }`]),
    // JSON is TypeScript; the names need no quotes.
    ...(body === undefined ? [] : [jsonOf(body).replaceAll(/^( *)"(\w+)":/gm, "$1$2:")]),
  ];
  const call = `holdfast.${method}(${given.join(", ")})`;
  const use = {
    outcome: `const ended = await ${call};\nconsole.log(ended.outcome);`,
    record: `console.log(await ${call});`,
    list: `for await (const each of ${call}) console.log(each);`,
  };
  return [
    `import { Holdfast } from "${CLIENT}";`,
    "",
    "const holdfast = new Holdfast({",
    `  baseUrl: ${JSON.stringify(apiUrl)},`,
    "  apiKey: process.env.API_KEY!,",
    "  apiSecret: process.env.API_SECRET!,",
    "});",
    use[returns],
  ].join("\n");
}

function writePhp({ method, apiUrl, target, takesKey, body }: Request): string {
  const path = target
    .split(/\{(\w+)\}/)
    .map((part, at) => (at % 2 === 1 ? `getenv('${variableOf(part)}')` : part && phpOf(part)))
    .filter(Boolean)
    .join(" . ");
  const bodyAndKey = [
    ...(body === undefined ? [] : [phpOf(body)]),
    ...(body === undefined && takesKey ? ["null"] : []),
    ...(takesKey ? ["getenv('KEY')"] : []),
  ];
  // `callHoldfast`, which repeats its request, is for requests with a body and a key.
  const call =
    body !== undefined && takesKey
      ? `callHoldfast(${[path, ...bodyAndKey].join(", ")})`
      : `sendToHoldfast(${[phpOf(method), path, ...bodyAndKey].join(", ")})`;
  return [
    "<?php",
    "",
    "require __DIR__ . '/holdfast.php';",
    "",
    `putenv(${phpOf(`GATEWAY=${apiUrl}`)});`,
    `[$status, $answer] = ${call};`,
    String.raw`echo $status, ' ', json_encode($answer), "\n";`,
  ].join("\n");
}

/** A value of JSON as PHP writes it. @param margin what stands before the line in which it begins. */
function phpOf(value: unknown, margin = ""): string {
  if (typeof value === "string") return `'${value.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
  if (Array.isArray(value)) return `[${value.map((each) => phpOf(each, margin)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${margin}    `;
  const fields = Object.entries(value).map(
    ([name, field]) => `${inner}'${name}' => ${phpOf(field, inner)},\n`,
  );
  return `[\n${fields.join("")}${margin}]`;
}
