// The part of psql that docs/upgrade.md uses, for machines without psql: executes statements from stdin, each
// by itself, in one session. The first failing statement ends it.
import { readFileSync } from "node:fs";
import { withClient } from "@holdfast/sandbox/infrastructure";

await withClient(process.argv[2]!, async (client) => {
  const statements = readFileSync(0, "utf8").replaceAll(/--.*$/gm, "").split(";");
  for (const statement of statements.filter((text) => text.trim() !== "")) await client.query(statement);
});
