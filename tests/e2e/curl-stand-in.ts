// The options of curl in the documents, for machines without it: -s, -S, -X, -H, -o and -d, also from a file or stdin.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: "boolean", short: "s" },
    "show-error": { type: "boolean", short: "S" },
    request: { type: "string", short: "X" },
    header: { type: "string", short: "H", multiple: true, default: [] },
    data: { type: "string", short: "d" },
    output: { type: "string", short: "o" },
  },
});
const response = await fetch(positionals[0]!, {
  method: values.request ?? (values.data === undefined ? "GET" : "POST"),
  headers: values.header.map((line): [string, string] => {
    const [name = "", ...rest] = line.split(":");
    return [name, rest.join(":").trim()];
  }),
  ...(values.data !== undefined && { body: bodyOf(values.data) }),
});
const text = await response.text();
if (values.output === undefined) process.stdout.write(text);
else writeFileSync(values.output, text);

function bodyOf(data: string): string {
  if (!data.startsWith("@")) return data;
  return readFileSync(data === "@-" ? 0 : data.slice(1), "utf8").replaceAll(/[\r\n]/g, "");
}
