import { arrowsOf, type Arrow } from "./policies/arrows.ts";
import type { Manifest } from "./manifest.ts";

/** ARCHITECTURE.md with its tables of who may connect to whom, from the policies of the two overlays. */
export function withNetworkTables(
  markdown: string,
  { production, development }: { production: Manifest[]; development: Manifest[] },
): string {
  const always = allArrows(production);
  const also = allArrows(development).difference(always);
  return replaceBetween(
    replaceBetween(markdown, "network", networkTable(always)),
    "network in development",
    networkTable(also),
  );
}

/** One row for arrows that share their ends or their ports: from, to, port. */
export function networkTable(arrows: ReadonlySet<Arrow>): string {
  const single = [...arrows].map((arrow): Row => {
    const [, from = "", to = "", port = ""] = /^(.*) -> (.*):(\w+)$/.exec(arrow) ?? [];
    return { from: [from], to: [to], port: [port] };
  });
  const rows = merge(merge(merge(single, "port"), "to"), "from")
    .map(({ from, to, port }) => [from, to, port].map((names) => names.join(", ")))
    .sort(([aFrom = "", aTo = ""], [bFrom = "", bTo = ""]) => compare(aFrom, bFrom) || compare(aTo, bTo));
  return alignedTable(["from", "to", "port"], rows);
}

function allArrows(manifests: Manifest[]): Set<Arrow> {
  const { out, into } = arrowsOf(manifests);
  return out.union(into);
}

type Row = Record<"from" | "to" | "port", string[]>;

/** Rows that differ in one column only become one. */
function merge(rows: Row[], column: keyof Row): Row[] {
  const others = (["from", "to", "port"] as const).filter((name) => name !== column);
  const groups = Map.groupBy(rows, (row) => others.map((name) => row[name].join()).join(" "));
  return [...groups.values()].map((group) => ({
    ...group[0]!,
    [column]: group.flatMap((row) => row[column]).sort(compare),
  }));
}

/** As the formatter aligns it, since the rest of the file is written by hand. */
function alignedTable(head: string[], rows: string[][]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  const line = (cells: string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join(" | ")} |`;
  return [head, widths.map((width) => "-".repeat(width)), ...rows].map(line).join("\n");
}

function replaceBetween(markdown: string, name: string, content: string): string {
  const [begin, end] = [`<!-- generated: ${name} -->`, `<!-- end: ${name} -->`];
  const [before, rest] = markdown.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`ARCHITECTURE.md has no ${begin}`);
  return `${before}${begin}\n\n${content}\n\n${end}${after}`;
}

function compare(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
