// The steps before an upgrade, and the waits of writers, as docs/upgrade.md has them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ServiceName } from "@holdfast/sandbox/infrastructure";
import { ROOT } from "./release-before.ts";

/** Commands as they stand on the page, and the migrations whose indexes they make. */
export type Beforehand = { commands: string; before: { service: ServiceName; migration: string }[] };

/** The commands in an order in which each is due before later migrations. */
export function commandsBeforehand(page = upgradePage()): Beforehand[] {
  const left = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)]
    .map(([, commands = ""]) => ({ commands, before: migrationsIn(commands) }))
    .filter(({ commands }) => commands.includes("concurrently"));
  const ordered: Beforehand[] = [];
  while (left.length > 0) {
    const first = left.findIndex((one) => !left.some((other) => other !== one && isEarlier(other, one)));
    if (first === -1) throw new Error("two blocks of docs/upgrade.md are each due before the other");
    ordered.push(...left.splice(first, 1));
  }
  return ordered;
}

/** The table's rows, as `payments/0002-order-index | payment | payment`. */
export function stopsOfThePage(page = upgradePage()): string[] {
  const [, section = ""] = page.split("\n## What keeps writers waiting\n");
  const rows = section.split("\n## ")[0]!.match(/^\| `[a-z-]+\/\d{4}-.*$/gm) ?? [];
  return rows.map((row) =>
    row
      .replaceAll("`", "")
      .split("|")
      .slice(1, 4)
      .map((cell) => cell.trim())
      .join(" | "),
  );
}

const upgradePage = () => readFileSync(join(ROOT, "docs", "upgrade.md"), "utf8");

function migrationsIn(commands: string): Beforehand["before"] {
  const named = [...commands.matchAll(/([a-z-]+)\/migrations\/(\d{4}-[a-z-]+)/g)];
  return named.map(([, service = "", migration = ""]) => ({ service: service as ServiceName, migration }));
}

function isEarlier(one: Beforehand, other: Beforehand): boolean {
  return one.before.some((a) =>
    other.before.some((b) => a.service === b.service && a.migration < b.migration),
  );
}
