import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readCommandLine, UsageError, wholeNumber, type TlsServer } from "@holdfast/service-runtime";
import { productDatabaseUrl } from "../database/product-database.ts";
import { collect, serviceOf, type EvidenceDeps, type Pair } from "./collect.ts";
import { summarize } from "./evidence.ts";
import { findingsIn } from "./findings.ts";
import { inventoryOf, type Lock } from "./inventory-of-lock.ts";

export type { EvidenceDeps } from "./collect.ts";

const HELP = `npm run evidence -- [--out DIR] [--home DIR | --database-url URL] [--listener NAME=URL ...] [--environment PROCESS=FILE ...]
                        [--scan-minutes N] [--scan-path PATH ...] [--page URL] [--shop URL ...] [--anchors PATH ...] [--name NAME]

Collects evidence of a running installation for an assessment by PCI DSS 4.0.1 (docs/pci-dss.md): DIR/summary.md for
people, DIR/evidence.json, and DIR/sbom.cdx.json. It reads only, and no secret is written.

  --out DIR                    where it is written (default: evidence)
  --name NAME                  the installation, as your documents call it
  --home DIR                   the sandbox in DIR (default, where no database is named: .holdfast), with its listeners, logs,
                               stream and processes
  --database-url URL           the product's database, as a role that may read everything
                               (default: $DATABASE_ADMIN_URL with the database $DATABASE_NAME)
  --listener NAME=URL          a listener to try cipher suites at: https://HOST:PORT, postgres://HOST:PORT, tls://HOST:PORT (nats)
  --client-cert FILE           with --client-key FILE, for listeners that ask for a client's certificate
  --environment PROCESS=FILE   the environment of a process, for its settings, keys and retention. Nothing is stored with
                               payments=<(kubectl -n holdfast exec deploy/payments -- cat /proc/1/environ)
  --scan-minutes N             how long the database is searched for card numbers (default 3; 0: until all is read). It
                               reads ranges of pages in short statements, holds no lock between them, and reads other parts
                               of large tables in each run
  --scan-path PATH             files to search: logs, the stream's store, WAL, archives, back-ups, packed by gzip or not
  --page URL                   an open checkout's page, compared as npm run page-integrity does; --shop is passed on
  --anchors PATH               kept heads of the audit log, compared as npm run verify-audit does

exits with 0, with 1 when there is a finding, with 2 when evidence could not be collected
`;

type Output = (text: string) => void;

const NONE: string[] = [];
const OPTIONS = {
  out: { type: "string", default: "evidence" },
  name: { type: "string" },
  home: { type: "string", default: ".holdfast" },
  "database-url": { type: "string" },
  listener: { type: "string", multiple: true, default: NONE },
  "client-cert": { type: "string" },
  "client-key": { type: "string" },
  environment: { type: "string", multiple: true, default: NONE },
  "scan-minutes": { type: "string", default: "3" },
  "scan-path": { type: "string", multiple: true, default: NONE },
  page: { type: "string" },
  shop: { type: "string", multiple: true, default: NONE },
  anchors: { type: "string", multiple: true, default: NONE },
} as const;

/** @returns the exit code. @throws where evidence cannot be collected */
export async function collectEvidence(
  deps: EvidenceDeps,
  args: string[],
  env: NodeJS.ProcessEnv,
  out: Output,
): Promise<number> {
  const line = readCommandLine(args, { help: HELP, options: OPTIONS }, out);
  if (!line) return 0;
  const { values } = line;
  const lock = JSON.parse(await readFile(deps.lockfile, "utf8")) as Lock;
  const sandbox = await readSandbox(deps.services, values, env);
  const given = values.environment.map((each) => pairOf("environment", each));
  for (const [name] of given) {
    if (!serviceOf(deps.services, name)) throw new UsageError(`--environment has no process ${name}`);
  }
  const evidence = await collect(deps, {
    name:
      values.name ?? (sandbox.isSandbox ? `the sandbox in ${resolve(values.home)}` : "not named (--name)"),
    isSandbox: sandbox.isSandbox,
    databaseUrl: productDatabaseUrl(values, env),
    minutes: wholeNumber("scan-minutes", values["scan-minutes"]),
    listeners: [...sandbox.listeners, ...values.listener.map((each) => pairOf("listener", each))].map(
      ([name, url]) => [
        name,
        { ...serverOf(url), certFile: values["client-cert"], keyFile: values["client-key"] },
      ],
    ),
    environments: [...sandbox.environments, ...given],
    paths: [...sandbox.paths, ...values["scan-path"]],
    page: values.page && ["--url", values.page, ...values.shop.flatMap((shop) => ["--shop", shop])],
    anchors: values.anchors.flatMap((path) => ["--anchors", path]),
    env,
    out,
  });
  const { node, postgresql, nats } = evidence.versions;
  const servers = { node, postgresql, "nats-server": nats };
  const inventory = inventoryOf(lock, { servers, at: evidence.installation.collectedAt });
  await mkdir(values.out, { recursive: true });
  await writeFile(join(values.out, "evidence.json"), `${JSON.stringify(evidence, null, 2)}\n`);
  await writeFile(join(values.out, "sbom.cdx.json"), `${JSON.stringify(inventory, null, 2)}\n`);
  await writeFile(join(values.out, "summary.md"), summarize(evidence));
  const findings = findingsIn(evidence);
  for (const finding of findings) out(`${finding}\n`);
  out(`${findings.length} findings; ${join(values.out, "summary.md")}\n`);
  return findings.length === 0 ? 0 : 1;
}

function pairOf(option: string, given: string): Pair {
  const at = given.indexOf("=");
  if (at < 1) throw new UsageError(`--${option} must be NAME=VALUE, not ${given}`);
  return [given.slice(0, at), given.slice(at + 1)];
}

/** The parts of `sandbox.json` that lead to its listeners, processes and files. */
async function readSandbox(
  services: EvidenceDeps["services"],
  { home, "database-url": url }: { home: string; "database-url"?: string | undefined },
  env: NodeJS.ProcessEnv,
): Promise<{ isSandbox: boolean; listeners: Pair[]; environments: Pair[]; paths: string[] }> {
  if (url !== undefined || env["DATABASE_ADMIN_URL"] !== undefined)
    return { isSandbox: false, listeners: [], environments: [], paths: [] };
  const file = JSON.parse(await readFile(join(home, "sandbox.json"), "utf8")) as Record<string, string> & {
    processes: Record<string, number>;
  };
  return {
    isSandbox: true,
    listeners: [
      "gatewayUrl",
      "publicUrl",
      "operatorUrl",
      "staffUrl",
      "consoleUrl",
      "databaseUrl",
      "natsUrl",
    ].flatMap((name): Pair[] =>
      file[name] === undefined ? [] : [[name.replace(/Url$/, "").replace("gateway", "merchant"), file[name]]],
    ),
    environments: Object.entries(file.processes).flatMap(([name, pid]): Pair[] =>
      existsSync(`/proc/${pid}/environ`) && serviceOf(services, name) ? [[name, `/proc/${pid}/environ`]] : [],
    ),
    paths: [file["logs"]!, join(home, "nats"), join(home, "postgres", "pg_wal")].filter((path) =>
      existsSync(path),
    ),
  };
}

function serverOf(url: string): TlsServer {
  if (!URL.canParse(url)) throw new UsageError(`${url} is no address`);
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (/^postgres(ql)?:$/.test(protocol)) return { host, port: Number(port || 5432), preamble: "postgres" };
  if (/^(nats|tls):$/.test(protocol)) return { host, port: Number(port || 4222), preamble: "nats" };
  return { host, port: Number(port || (protocol === "http:" ? 80 : 443)) };
}
