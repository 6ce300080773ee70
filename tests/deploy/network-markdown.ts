import { arrowsOf, type Arrow } from "./policies/arrows.ts";
import type { Manifest } from "./manifest.ts";

/** docs/network.md: the allowed connections, from the policies of the two overlays. */
export function networkMarkdown({
  production,
  development,
}: {
  production: Manifest[];
  development: Manifest[];
}): string {
  const always = allArrows(production);
  const also = allArrows(development).difference(always);
  return `# Network

In Kubernetes every other connection is refused, in both directions. \`npm run generate\` writes this page from the policies (\`deploy/k8s/base/platform/network-policies.yaml\`), and a test compares them. Every pod may ask DNS, and the kubelet's probes reach the health port. \`internet\` means every address that is not private: only the port restricts it, so each company puts the addresses of its bank and its identity provider into the policy. The services reach each other only over the bus. On port 443 PostgreSQL also reaches the store of its back-ups.

## Who may connect to whom

${networkTable(always)}

## In development also

${networkTable(also)}
`;
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
  return tableOf([["from", "to", "port"], ["---", "---", "---"], ...rows]);
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

function tableOf(rows: string[][]): string {
  return rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function compare(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
