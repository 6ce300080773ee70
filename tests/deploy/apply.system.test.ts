// `deploy/k8s/apply` against a kubectl that records its calls: an apply on the second day, without a cluster.
import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { buildOverlay, deployDir } from "./build-overlay.ts";

/** The first answer whose pattern fits a call and that has any left is given. */
type Answer = { asked: string; out?: string; err?: string; code?: number; times?: number };

/** Answers of a cluster in which all goes well. */
const SERVICES = "deployment.apps/payments\ndeployment.apps/refunds\n";
const PLATFORM = "cluster.postgresql.cnpg.io/postgres\nconfigmap/settings-new\n";
const WELL: Answer[] = [
  { asked: "^kustomize", out: "kind: ConfigMap\nmetadata:\n  namespace: holdfast\n" },
  { asked: "auth can-i", out: "yes" },
  { asked: "get namespace", out: "namespace/holdfast\n" },
  {
    asked: "dry-run=client .*name=installation",
    out: "installation-0-1-0 r.example.com/holdfast:0.1.0@sha256:5",
  },
  { asked: "dry-run=client .*jsonpath" },
  { asked: "(apply|dry-run).*stage=service", out: SERVICES },
  { asked: "(apply|dry-run).*stage=platform", out: PLATFORM },
  { asked: "get .*clusters.postgresql.*columns", out: "3 3 True 1" },
  { asked: "get .*statefulset nats", out: "3 3 1 1 3" },
  { asked: "get .*deployment.apps/.*N:.metadata.name,R:.spec.replicas$", out: "payments 3\nrefunds 2\n" },
  {
    asked: "get .*deployment.apps/",
    out: "payments 2 2 3 3 3 3 NewReplicaSetAvailable\nrefunds 1 1 2 2 2 2 <none>\n",
  },
];

async function apply(answers: Answer[], ...options: string[]) {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-apply-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  copyFileSync(join(import.meta.dirname, "recorded-kubectl.sh"), join(dir, "kubectl"));
  for (const [index, { asked, out = "", err = "", code = 0, times = "" }] of [
    ...answers,
    ...WELL,
  ].entries()) {
    const parts = { asked, out, err, code, times };
    const name = join(dir, `${index}`.padStart(2, "0"));
    for (const [part, text] of Object.entries(parts)) writeFileSync(`${name}.${part}`, `${text}`);
  }
  writeFileSync(join(dir, "calls"), "");
  const env = {
    PATH: `${dir}:/usr/bin:/bin`,
    KUBECTL_DIR: dir,
    APPLY_POLL_SECONDS: "0",
    APPLY_POLLS: "5",
  };
  const program = join(deployDir, "k8s", "apply");
  const [code, output] = await new Promise<[unknown, string]>((resolve) => {
    execFile(program, ["OVERLAY", ...options], { env }, (error, stdout, stderr) =>
      resolve([error?.code ?? 0, `${stdout}${stderr}`]),
    );
  });
  const calls = readFileSync(join(dir, "calls"), "utf8").split("\n").slice(0, -1);
  return { code, output, calls };
}

/** The calls that change the cluster, in order. */
const changes = (calls: string[]) =>
  calls
    .filter(
      (call) => /^(-n holdfast )?(apply|delete|scale|create)\b/.test(call) && !call.includes("--dry-run"),
    )
    .map((call) =>
      call
        .replace(/^-n holdfast /, "")
        .replace("--server-side --field-manager=holdfast ", "")
        .replace(/ -f \S+/, ""),
    );
const lines = (...all: string[]) => all.map((line) => `${line}\n`).join("");

test("stages are applied in order, under a lease that goes with the run", async () => {
  const { code, calls } = await apply([]);
  expect(code).toBe(0);
  const stage = (name: string) => `apply -l holdfast.dev/stage=${name},holdfast.dev/scope!=cluster -o name`;
  expect(changes(calls)).toEqual([
    "apply -l holdfast.dev/scope=cluster -o name",
    "create",
    stage("platform"),
    stage("installation"),
    stage("migration"),
    stage("service"),
    "delete lease apply --ignore-not-found",
  ]);
});

test("a changed setting applies minutes after an upgrade: the stage's finished Jobs are deleted first", async () => {
  const { code, calls } = await apply([
    {
      asked: "get .*job .*stage=migration",
      out: lines("old-1 <none> SuccessCriteriaMet,Complete", "old-2 3 Failed"),
      times: 1,
    },
    { asked: "get .*job .*stage=migration", out: lines("new-1 <none> Complete") },
  ]);
  expect(code).toBe(0);
  const done = changes(calls);
  const removed = done.indexOf("delete job old-1 old-2 --ignore-not-found");
  expect(removed).toBeGreaterThan(0);
  expect(done[removed + 1]).toContain("stage=migration");
});

test("a Job that runs is never deleted: its end is awaited", async () => {
  const { code, calls } = await apply([
    { asked: "get .*job .*stage=migration", out: lines("running <none> <none>"), times: 2 },
    { asked: "get .*job .*stage=migration", out: lines("running <none> Complete") },
  ]);
  expect(code).toBe(0);
  const looks = calls.findIndex((call) => call.includes("delete job"));
  expect(calls.slice(0, looks).filter((call) => call.includes("stage=migration")).length).toBeGreaterThan(2);
  const never = await apply([{ asked: "get .*job .*stage=migration", out: lines("running <none> <none>") }]);
  expect(never.code).toBe(1);
  expect(never.output).toContain("Jobs of before: waited too long");
  expect(changes(never.calls).join()).not.toContain("delete job");
  expect(changes(never.calls).join()).not.toContain("stage=service");
});

test("a failed Job is seen while others still run, and no service is touched", async () => {
  const { code, output, calls } = await apply([
    { asked: "get .*job .*stage=migration", out: "", times: 1 },
    {
      asked: "get .*job .*stage=migration",
      out: lines("payments-migration 11 Failed", "refunds-migration <none> <none>"),
    },
  ]);
  expect(code).toBe(1);
  expect(output).toContain(
    "payments-migration failed 11 times: kubectl -n holdfast logs job/payments-migration",
  );
  expect(changes(calls).join()).not.toContain("stage=service");
  expect(changes(calls).at(-1)).toBe("delete lease apply --ignore-not-found");
});

test("what cannot be looked at is not taken for an end", async () => {
  const { code, calls } = await apply([
    { asked: "get .*job .*stage=migration", out: "", times: 1 },
    { asked: "get .*job .*stage=migration", code: 1, err: "the server is currently unable\n" },
  ]);
  expect(code).not.toBe(0);
  expect(changes(calls).join()).not.toContain("stage=service");
});

test("the namespace is the one that the built overlay has", async () => {
  const built = { asked: "^kustomize", out: "metadata:\n  name: x\n  namespace: holdfast-two\n" };
  const elsewhere = await apply([built], "--rollback");
  expect(elsewhere.code).toBe(0);
  expect(elsewhere.calls.filter((call) => call.startsWith("-n holdfast "))).toEqual([]);
  const none = await apply([{ asked: "^kustomize", out: "kind: Namespace\n" }]);
  expect([none.code, changes(none.calls)]).toEqual([1, []]);
});

test("two never run together", async () => {
  const { code, output, calls } = await apply([
    { asked: " create -f", code: 1, err: "Error from server (AlreadyExists): leases\n" },
    { asked: "get lease apply", out: "alice@laptop:42" },
  ]);
  expect(code).toBe(1);
  expect(output).toContain("another apply runs: alice@laptop:42");
  expect(changes(calls)).toEqual(["apply -l holdfast.dev/scope=cluster -o name", "create"]);
});

test("after a restore every service comes back with replicas, and 0 of 0 is no success", async () => {
  const restored = [
    { asked: "columns=N:.metadata.name,R:.spec.replicas$", out: "payments 0\nrefunds 2\n" },
    { asked: "get hpa payments", out: "3" },
  ];
  const { code, calls } = await apply(restored, "--rollback");
  expect(code).toBe(0);
  expect(changes(calls)).toContain("scale deployment.apps/payments --replicas=3");
  expect(calls.findIndex((call) => call.includes("scale"))).toBeLessThan(
    calls.findIndex((call) => call.includes(".status.availableReplicas")),
  );
  const alone = await apply([
    { asked: "columns=N:.metadata.name,R:.spec.replicas$", out: "payments 3\nrefunds 0\n" },
  ]);
  expect(alone.code).toBe(1);
  expect(alone.output).toContain("deployment.apps/refunds has 0 replicas and no autoscaler");
});

test("a conflict names the object, and --force-conflicts takes the field back", async () => {
  const conflict = {
    asked: "^apply --server-side .*stage=service",
    out: "deployment.apps/payments\n",
    err: 'error: Apply failed with 1 conflict: conflict with "kubectl-patch": .spec.replicas\n',
    code: 1,
  };
  const { code, output } = await apply([conflict]);
  expect(code).toBe(1);
  expect(output).toContain("not applied: deployment.apps/refunds");
  const { calls } = await apply([], "--force-conflicts");
  const applied = changes(calls).filter((call) => call.startsWith("apply"));
  expect(applied.every((call) => call.startsWith("apply --force-conflicts"))).toBe(true);
});

test("a rollback leaves the platform alone but for the settings that its pods name", async () => {
  const { calls } = await apply([], "--rollback");
  expect(changes(calls)).toEqual([
    "create",
    "apply -l holdfast.dev/settings=true -o name",
    "apply -l holdfast.dev/stage=service,holdfast.dev/scope!=cluster -o name",
    "delete lease apply --ignore-not-found",
  ]);
});

test("who may not make namespaces applies into one that is there, and gets a sentence where it is not", async () => {
  const may = { asked: "auth can-i", out: "no", code: 0 };
  expect(changes((await apply([may])).calls)[0]).toBe("create");
  const { code, output } = await apply([may, { asked: "get namespace holdfast" }]);
  expect(code).toBe(1);
  expect(output).toContain("the namespace is missing");
  const forbidden = await apply([may, { asked: "get namespace holdfast", code: 1, err: "Forbidden\n" }]);
  expect(forbidden.code).toBe(1);
  expect(forbidden.output).not.toContain("the namespace is missing");
});

test("an overlay without PostgreSQL does not wait for one that another overlay has left", async () => {
  const names = { asked: "(apply|dry-run).*stage=platform,", out: "configmap/settings-new\n" };
  const waits = /clusters\.postgresql\.cnpg\.io postgres .*readyInstances/;
  expect((await apply([])).calls.join("\n")).toMatch(waits);
  expect((await apply([names])).calls.join("\n")).not.toMatch(waits);
});

test.each([
  ["a PostgreSQL that is there", "restore", "postgres ", 1],
  ["one for a second region likewise", "standby", "postgres ", 1],
  ["a new one", "restore", "", 0],
  ["one that was restored before", "restore", "postgres production", 0],
  ["a PostgreSQL that is there, without a restore", "", "postgres ", 0],
])("a restore is refused into a PostgreSQL that is there: %s", async (_, component, there, ended) => {
  const cluster = (await buildOverlay("production", component ? [component] : [])).find(
    ({ kind }) => kind === "Cluster",
  );
  const { code, output, calls } = await apply([
    { asked: "dry-run=client .*recovery.source", out: cluster?.spec.bootstrap.recovery?.source ?? "" },
    { asked: "get clusters.postgresql.*recovery.source", out: there },
  ]);
  expect(code).toBe(ended);
  if (ended === 0) return expect(changes(calls).join()).toContain("stage=service");
  expect(output).toContain("delete it first (docs/backup.md)");
  expect(changes(calls)).toEqual([]);
});

test("--diff compares what can be changed: no Jobs, and nothing of the whole cluster", async () => {
  const { code, output, calls } = await apply([{ asked: "^diff", code: 1, out: "+ LOG_LEVEL\n" }], "--diff");
  expect([code, changes(calls)]).toEqual([0, []]);
  expect(output).toContain("+ LOG_LEVEL");
  expect(calls.find((call) => call.startsWith("diff"))).toMatch(
    / -l holdfast.dev\/stage notin \(installation,migration\),holdfast.dev\/scope!=cluster$/,
  );
  expect((await apply([{ asked: "^diff", code: 2 }], "--diff")).code).not.toBe(0);
  const first = await apply([{ asked: "get namespace" }], "--diff");
  expect([first.code, first.output]).toEqual([
    0,
    "apply: the namespace holdfast is not there: everything is new\n",
  ]);
});

test("what is left over is listed by name, and what PostgreSQL needs is none of it while its Cluster is there", async () => {
  const { code, output, calls } = await apply(
    [
      { asked: "^api-resources", out: "configmaps\nstatefulsets.apps\nclusters.postgresql.cnpg.io\n" },
      {
        asked: "get statefulsets.apps,",
        out: lines(
          "statefulset.apps/nats",
          "configmap/settings-new",
          "configmap/settings-old",
          "cluster.postgresql.cnpg.io/postgres",
          "networkpolicy.networking.k8s.io/postgres-api-server",
        ),
      },
      { asked: "dry-run=client", out: "deployment.apps/payments\nconfigmap/settings-new\n" },
    ],
    "--prune-list",
  );
  expect([code, changes(calls)]).toEqual([0, []]);
  expect(output.split("\n")).toEqual([
    "# holds data: kubectl -n holdfast delete statefulset.apps/nats",
    "kubectl -n holdfast delete configmap/settings-old",
    "# holds data: kubectl -n holdfast delete cluster.postgresql.cnpg.io/postgres",
    "# while PostgreSQL is there: kubectl -n holdfast delete networkpolicy.networking.k8s.io/postgres-api-server",
    "",
  ]);
  expect(calls.join("\n")).toContain("get statefulsets.apps,configmaps,clusters.postgresql.cnpg.io -l");
});

test.each([
  ["the overlay does not build", { asked: "^kustomize", code: 1 }],
  ["its names cannot be listed", { asked: "dry-run=client", code: 1 }],
  ["the cluster does not answer", { asked: "get .* -l holdfast.dev/stage ", code: 1 }],
])("a list of deletes is never printed from half of what is needed: %s", async (_, answer) => {
  const there = { asked: "get .* -l holdfast.dev/stage ", out: "configmap/settings-old\n" };
  const { code, output } = await apply(
    [{ asked: "^api-resources", out: "configmaps\n" }, answer, there],
    "--prune-list",
  );
  expect(code).toBe(1);
  expect(output).not.toContain("delete");
});

test("PostgreSQL is waited for however many names an overlay has", async () => {
  const many = `${PLATFORM}${lines(...Array.from({ length: 3_000 }, (_, index) => `configmap/x-${index}`))}`;
  const { code, calls } = await apply([{ asked: "(apply|dry-run).*stage=platform,", out: many }]);
  expect(code).toBe(0);
  expect(calls.join("\n")).toMatch(/clusters\.postgresql\.cnpg\.io postgres .*readyInstances/);
});

test.each([
  ["a nats-server", "get .*statefulset nats", "2 3 1 1 3", 0],
  ["two nats-servers", "get .*statefulset nats", "1 3 1 1 3", 1],
  ["one that has not yet been rolled", "get .*statefulset nats", "2 3 2 2 2", 1],
  ["a PostgreSQL of an unchanged Cluster", "clusters.postgresql.*columns", "2 3 False 7", 0],
  ["one of a Cluster that this apply has changed", "clusters.postgresql.*columns", "2 3 False 8", 1],
])("the platform without %s", async (_, asked, out, ended) => {
  const before = { asked: "clusters.postgresql.*jsonpath=.\\.metadata.generation", out: "7" };
  const { code, output } = await apply([before, { asked, out }]);
  expect(code).toBe(ended);
  expect(output).toContain(`${out[0]} of 3 are ready`);
});

test("all services are waited for together, and those that are not ready are named with the cluster's reasons", async () => {
  const warning = "uid/1 Pod/refunds-x Failed: couldn't find key REFUNDS_KEY\n";
  const { code, output, calls } = await apply([
    { asked: "get events", out: "old/3 Pod/nats-0 BackOff: of yesterday\n", times: 1 },
    { asked: "get events", out: `old/3 Pod/nats-0 BackOff: of yesterday\n${warning}` },
    {
      asked: "get .*deployment.apps/.*availableReplicas",
      out: lines("console 2 2 2 1 3 2 ProgressDeadlineExceeded", "payments 2 2 3 3 3 3 <none>"),
    },
  ]);
  expect(code).toBe(1);
  expect(output).toContain("services: 1 of 2 are rolled out; not ready in time: console");
  expect(output.split("couldn't find key REFUNDS_KEY")).toHaveLength(2);
  expect(output).not.toContain("yesterday");
  expect(output.trimEnd().split("\n").at(-1)).toBe("apply: failed: OVERLAY");
  expect(changes(calls).at(-1)).toBe("delete lease apply --ignore-not-found");
});

test.each([
  ["0.1.0", 1],
  ["0.2.0@sha256:1", 0],
  ["0.2.0-r2", 0],
  ["4f0c2d9", 0],
])("images of another version than the manifests are refused: %s", async (tag, ended) => {
  const version = {
    asked: "name=installation",
    out: `installation-0-2-0 r.example.com:5000/holdfast:${tag}`,
  };
  const { code, output, calls } = await apply([version], "--rollback");
  expect(code).toBe(ended);
  if (ended === 0) return;
  expect(output).toContain("check 0.1.0 out, and run its deploy/k8s/apply");
  expect(changes(calls)).toEqual([]);
});

test("a refusal that is no conflict and no other run is not explained as one", async () => {
  const invalid = { asked: "^apply .*stage=platform", code: 1, err: "The StatefulSet is invalid: 10Gi\n" };
  expect((await apply([invalid])).output).not.toMatch(/by hand|another apply/);
  const terminating = { asked: " create -f", code: 1, err: "Error from server (Forbidden): terminating\n" };
  const { output } = await apply([terminating]);
  expect(output).toContain("terminating");
  expect(output).not.toContain("another apply");
});
