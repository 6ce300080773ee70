// A page of the runbook has people type its commands at night, so they have to work: statements run against the schemas
// as migrated, requests exist in the operator API, and kubectl is asked for objects that the manifests make.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openApiJson } from "@holdfast/contracts/openapi";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { createTestDatabase, type TestDatabase } from "@holdfast/tests/support";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildOverlay, deployDir } from "./build-overlay.ts";
import { ofKind, workloads, type Manifest } from "./manifest.ts";
import { UsageError } from "@holdfast/service-runtime/command-line";
import { findProgram } from "../../tools/holdfast/src/find-program.ts";

const docs = join(deployDir, "..", "docs");
const pages = readdirSync(join(docs, "runbook")).map((page) => ({
  page,
  text: readFileSync(join(docs, "runbook", page), "utf8"),
}));

/** Matches in the code of all pages. */
function commands(pattern: RegExp): { page: string; command: string }[] {
  return pages.flatMap(({ page, text }) =>
    [...text.matchAll(/`([^`]+)`/g)]
      .map(([, command = ""]) => command)
      .filter((command) => pattern.test(command))
      .map((command) => ({ page, command })),
  );
}

let database: TestDatabase;
let manifests: Manifest[];
beforeAll(async () => {
  database = await createTestDatabase();
  manifests = await buildOverlay("production", ["monitoring", "monitoring-postgres"]);
});
afterAll(() => database.drop());

/** PostgreSQL plans it, so it knows every table, column and function in it. @returns its complaint */
async function faultOfStatement(statement: string): Promise<string | undefined> {
  const filled = statement.replaceAll("'…'", "'00000000-0000-0000-0000-000000000000'").replaceAll("PID", "0");
  return await withClient(database.superuserUrl, async (client) => {
    try {
      await client.query(`explain ${filled}`);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  });
}

test("every statement runs on the schemas as they are", async () => {
  const statements = commands(/^select /);
  expect(statements.length).toBeGreaterThan(5);
  for (const { page, command } of statements) {
    expect([page, command, await faultOfStatement(command)]).toEqual([page, command, undefined]);
  }
  expect(await faultOfStatement("select reason from webhooks.poisoned")).toMatch(/does not exist/);
});

type Document = { paths: Record<string, Record<string, { parameters?: { in: string; name: string }[] }>> };
const { paths } = JSON.parse(openApiJson("operator")) as Document;

/**
 * @param command such as `GET /operator/payments?unresolved=true`; placeholders may have other names than the
 * document's.
 */
function faultOfRequest(command: string): string | undefined {
  const [method = "", target = ""] = command.split(" ");
  const [path = "", query = ""] = target.split("?");
  const shape = (one: string) => one.replaceAll(/\{\w+\}/g, "{}");
  const known = Object.entries(paths).find(([one]) => shape(one) === shape(path))?.[1][method.toLowerCase()];
  if (!known) return "the operator API has no such request";
  const declared = (known.parameters ?? []).filter((one) => one.in === "query");
  const parameters = new Set(declared.map(({ name }) => name));
  const asked = query.split("&").flatMap((part) => part.split("=")[0] || []);
  const strange = asked.filter((name) => !parameters.has(name));
  return strange.length > 0 ? `it has no parameter ${strange.join()}` : undefined;
}

test("every request is one of the operator API", () => {
  const requests = commands(/^(GET|PUT|POST|DELETE) \/operator/);
  expect(requests.length).toBeGreaterThan(10);
  for (const { page, command } of requests) {
    expect([page, command, faultOfRequest(command)]).toEqual([page, command, undefined]);
  }
  expect(faultOfRequest("GET /operator/webhook")).toMatch(/no such/);
  expect(faultOfRequest("GET /operator/payments?unsolved=true")).toMatch(/unsolved/);
});

/**
 * The commands for installing, upgrading and restoring in the documents beside the runbook, in a line or in a block.
 */
function commandsOfGuides(): { page: string; command: string }[] {
  return readdirSync(docs)
    .filter((page) => page.endsWith(".md"))
    .flatMap((page) => {
      const text = readFileSync(join(docs, page), "utf8");
      return [...text.matchAll(/(?:^ *|`)(kubectl -n holdfast [^`\n]+)/gm)].map(([, command = ""]) => ({
        page,
        command,
      }));
    });
}

/** True if a name is a placeholder for a person's own value. */
const isPlaceholder = (name: string) => name === name.toUpperCase();

const KINDS: Record<string, string> = {
  deployment: "Deployment",
  deploy: "Deployment",
  service: "Service",
  statefulset: "StatefulSet",
  cronjob: "CronJob",
  cluster: "Cluster",
  podmonitor: "PodMonitor",
  objectstore: "ObjectStore",
  certificate: "Certificate",
};

/**
 * Objects, labels and containers in a command that no manifest has, and `kubectl logs` that would show only
 * ten lines.
 */
function faultsOfKubectl(command: string): string[] {
  const all = workloads(manifests);
  const containers = all.flatMap(({ pod }) => [...pod.containers, ...(pod.initContainers ?? [])]);
  const labels = new Set(all.map(({ template }) => template.metadata.labels["app.kubernetes.io/name"]));
  const objects = new RegExp(String.raw`\b(${Object.keys(KINDS).join("|")})[/ ]([a-zA-Z][\w-]+)`, "g");
  const named = [...command.matchAll(objects)]
    .map(([, kind = "", name = ""]) => ({ kind: KINDS[kind]!, name }))
    .filter(({ name }) => !isPlaceholder(name));
  const [, label] = /app\.kubernetes\.io\/name=([\w-]+)/.exec(command) ?? [];
  const [, container] = / logs .*-c ([\w-]+)/.exec(command) ?? [];
  const hasContainer =
    container === undefined ||
    containers.some(({ name }) => name === container) ||
    // CloudNativePG adds it to its pods.
    container === "plugin-barman-cloud";
  return [
    ...named
      .filter(({ kind, name }) => !ofKind(manifests, kind).some(({ metadata }) => metadata.name === name))
      .map(({ kind, name }) => `there is no ${kind} ${name}`),
    ...(label !== undefined && !isPlaceholder(label) && !labels.has(label) ? [`no pod is a ${label}`] : []),
    ...(hasProgram(command) ? [] : ["its image has no such program"]),
    ...(hasContainer ? [] : [`no pod has a container ${container}`]),
    ...(/ logs .*(-l |--all-pods)/.test(command) && !command.includes("--tail=") ? ["shows ten lines"] : []),
  ];
}

/** A program of ours that is run in a pod has to exist. */
function hasProgram(command: string): boolean {
  const [, args] = / exec deploy(?:ment)?\/[\w-]+ .*-- holdfast (.+)/.exec(command) ?? [];
  try {
    return args === undefined || findProgram(args.split(" ")) !== undefined;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

test("kubectl is asked for what the manifests make", () => {
  const asked = [...commands(/^kubectl -n holdfast /), ...commandsOfGuides()];
  expect(asked.length).toBeGreaterThan(50);
  for (const { page, command } of asked) {
    expect([page, command, faultsOfKubectl(command)]).toEqual([page, command, []]);
  }
  const wrong = "kubectl -n holdfast logs deployment/gateway -c proxy";
  expect(faultsOfKubectl(wrong)).toEqual(["there is no Deployment gateway", "no pod has a container proxy"]);
  const gone = "kubectl -n holdfast exec deployment/refunds -- holdfast keys refunds status";
  expect(faultsOfKubectl(gone)).toEqual(["its image has no such program"]);
  const short = "kubectl -n holdfast logs -l app.kubernetes.io/name=gateway";
  expect(faultsOfKubectl(short)).toEqual(["no pod is a gateway", "shows ten lines"]);
});
