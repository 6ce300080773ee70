// `deploy/k8s/apply` against a kubectl that records its calls: an apply on the second day, without a cluster.
import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { buildOverlay, deployDir } from "./build-overlay.ts";

/** The first answer whose pattern fits a call and that has any left is given. */
type Answer = { asked: string; out?: string; err?: string; code?: number; times?: number };

/** Answers of a cluster in which all goes well. */
const WELL: Answer[] = [
  { asked: "auth can-i", out: "yes" },
  { asked: "--dry-run=client .*stage=service", out: "deployment.apps/payments\ndeployment.apps/refunds\n" },
  { asked: "--dry-run=client", out: "cluster.postgresql.cnpg.io/postgres\nconfigmap/settings-new\n" },
  { asked: "get deployment -l", out: "deployment.apps/payments\ndeployment.apps/refunds\n" },
  { asked: "get deployment.apps/.*spec.replicas", out: "3" },
];

async function apply(answers: Answer[], ...options: string[]) {
  return await applyOverlay("OVERLAY", answers, ...options);
}

async function applyOverlay(overlay: string, answers: Answer[], ...options: string[]) {
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
    APPLY_JOB_POLLS: "5",
  };
  const program = join(deployDir, "k8s", "apply");
  const [code, output] = await new Promise<[unknown, string]>((resolve) => {
    execFile(program, [overlay, ...options], { env }, (error, stdout, stderr) =>
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
    .map((call) => call.replace(/^-n holdfast /, "").replace("--server-side --field-manager=holdfast ", ""));
const jobs = (...lines: string[]) => lines.map((line) => `${line}\n`).join("");

test("stages are applied in order, under a lease that goes with the run", async () => {
  const { code, calls } = await apply([]);
  expect(code).toBe(0);
  const stage = (name: string) =>
    `apply -k OVERLAY -l holdfast.dev/stage=${name},holdfast.dev/scope!=cluster -o name`;
  expect(changes(calls)).toEqual([
    "apply -k OVERLAY -l holdfast.dev/scope=cluster -o name",
    "create -f -",
    stage("platform"),
    stage("installation"),
    stage("migration"),
    stage("service"),
    "delete lease apply --ignore-not-found",
  ]);
});

test("a changed setting applies minutes after an upgrade: the stage's finished Jobs are deleted first", async () => {
  const { code, calls } = await apply([
    { asked: "get job .*stage=migration", out: jobs("old-1 Complete ", "old-2 Failed "), times: 3 },
    { asked: "get job .*stage=migration", out: jobs("new-1 Complete ") },
  ]);
  expect(code).toBe(0);
  const done = changes(calls);
  const removed = done.indexOf("delete job old-1 old-2 --ignore-not-found");
  expect(removed).toBeGreaterThan(0);
  expect(done[removed + 1]).toContain("stage=migration");
});

test("a Job that runs is never deleted: its end is awaited", async () => {
  const { code, calls } = await apply([
    { asked: "get job .*stage=migration", out: jobs("running "), times: 2 },
    { asked: "get job .*stage=migration", out: jobs("running Complete ") },
  ]);
  expect(code).toBe(0);
  const looks = calls.findIndex((call) => call.includes("delete job"));
  expect(calls.slice(0, looks).filter((call) => call.includes("stage=migration")).length).toBeGreaterThan(2);
  const never = await apply([{ asked: "get job .*stage=migration", out: jobs("running ") }]);
  expect(never.code).toBe(1);
  expect(never.output).toContain("still running: running");
  expect(changes(never.calls).join()).not.toContain("delete job");
  expect(changes(never.calls).join()).not.toContain("stage=service");
});

test("a failed Job is seen while others still run, and no service is touched", async () => {
  const { code, output, calls } = await apply([
    { asked: "get job .*stage=migration", out: "", times: 2 },
    { asked: "get job .*stage=migration", out: jobs("payments-migration Failed ", "refunds-migration ") },
  ]);
  expect(code).toBe(1);
  expect(output).toContain("failed: kubectl -n holdfast logs job/payments-migration");
  expect(changes(calls).join()).not.toContain("stage=service");
  expect(changes(calls).at(-1)).toBe("delete lease apply --ignore-not-found");
});

test("what cannot be looked at is not taken for an end", async () => {
  const { code, calls } = await apply([
    { asked: "get job .*stage=migration", out: "", times: 2 },
    { asked: "get job .*stage=migration", code: 1, err: "the server is currently unable\n" },
  ]);
  expect(code).not.toBe(0);
  expect(changes(calls).join()).not.toContain("stage=service");
});

test("the namespace is the overlay's, and holdfast where it names none", async () => {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-overlay-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, "kustomization.yaml"), "kind: Kustomization\nnamespace: holdfast-two\n");
  const elsewhere = await applyOverlay(dir, [], "--prune-list");
  expect(elsewhere.calls.filter((call) => call.startsWith("-n "))).toContainEqual(
    expect.stringMatching(/^-n holdfast-two get deployment /),
  );
  expect((await apply([], "--prune-list")).calls).toContainEqual(
    expect.stringMatching(/^-n holdfast get deployment /),
  );
});

test("two never run together", async () => {
  const { code, output, calls } = await apply([
    { asked: "create -f -", code: 1, err: "AlreadyExists\n" },
    { asked: "get lease apply", out: "alice@laptop:42" },
  ]);
  expect(code).toBe(1);
  expect(output).toContain("another apply runs: alice@laptop:42");
  expect(changes(calls)).toEqual(["apply -k OVERLAY -l holdfast.dev/scope=cluster -o name", "create -f -"]);
});

test("after a restore every service comes back with replicas, and 0 of 0 is no success", async () => {
  const restored = [
    { asked: "get deployment.apps/payments .*spec.replicas", out: "0" },
    { asked: "get hpa payments", out: "3" },
  ];
  const { code, calls } = await apply(restored, "--rollback");
  expect(code).toBe(0);
  expect(changes(calls)).toContain("scale deployment.apps/payments --replicas=3");
  expect(calls.findIndex((call) => call.includes("scale"))).toBeLessThan(
    calls.findIndex((call) => call.includes("rollout status")),
  );
  const alone = await apply([{ asked: "get deployment.apps/refunds .*spec.replicas", out: "0" }]);
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
  expect(applied.every((call) => call.startsWith("apply --force-conflicts -k"))).toBe(true);
});

test("a rollback leaves the platform alone but for the settings that its pods name", async () => {
  const { calls } = await apply([], "--rollback");
  expect(changes(calls)).toEqual([
    "create -f -",
    "apply -k OVERLAY -l holdfast.dev/settings=true -o name",
    "apply -k OVERLAY -l holdfast.dev/stage=service,holdfast.dev/scope!=cluster -o name",
    "delete lease apply --ignore-not-found",
  ]);
});

test("who may not make namespaces applies into one that is there, and gets a sentence where it is not", async () => {
  const may = { asked: "auth can-i", out: "no", code: 0 };
  expect(changes((await apply([may])).calls)[0]).toBe("create -f -");
  const { code, output } = await apply([may, { asked: "get namespace holdfast", code: 1 }]);
  expect(code).toBe(1);
  expect(output).toContain("the namespace is missing");
});

test("an overlay without PostgreSQL does not wait for one that another overlay has left", async () => {
  const names = { asked: "--dry-run=client", out: "configmap/settings-new\n" };
  expect((await apply([])).calls.join("\n")).toContain("wait clusters.postgresql.cnpg.io/postgres");
  expect((await apply([names])).calls.join("\n")).not.toContain("wait clusters.postgresql");
});

test.each([
  ["a PostgreSQL that is there", "restore", "postgres ", 1],
  ["one for a second region likewise", "standby", "postgres ", 1],
  ["a new one", "restore", "", 0],
  ["one that was restored before", "restore", "postgres production", 0],
  ["a PostgreSQL that is there, without a restore", "", "postgres ", 0],
])("a restore is refused into a PostgreSQL that is there: %s", async (_, component, there, ended) => {
  const built = await buildOverlay("production", component ? [component] : []);
  const { code, output, calls } = await apply([
    { asked: "^kustomize OVERLAY", out: built.map((one) => stringify(one)).join("---\n") },
    { asked: "get clusters.postgresql", out: there },
  ]);
  expect(code).toBe(ended);
  if (ended === 0) return expect(changes(calls).join()).toContain("stage=service");
  expect(output).toContain("delete it first (docs/backup.md)");
  expect(changes(calls)).toEqual([]);
});

test("--diff and --prune-list change nothing; what is left over is listed by name", async () => {
  const diff = await apply([{ asked: "^diff", code: 1, out: "+ LOG_LEVEL\n" }], "--diff");
  expect([diff.code, diff.output, changes(diff.calls)]).toEqual([0, "+ LOG_LEVEL\n", []]);
  expect((await apply([{ asked: "^diff", code: 2 }], "--diff")).code).not.toBe(0);
  const { code, output, calls } = await apply(
    [
      { asked: "get configmap", out: "configmap/settings-new\nconfigmap/settings-old\n" },
      { asked: "get deployment", out: "deployment.apps/payments\n" },
      { asked: "--dry-run=client", out: "deployment.apps/payments\nconfigmap/settings-new\n" },
      { asked: "get statefulset", out: "statefulset.apps/nats\n" },
      { asked: "get podmonitor", code: 1, err: "no such kind\n" },
    ],
    "--prune-list",
  );
  expect([code, changes(calls)]).toEqual([0, []]);
  expect(output.split("\n").toSorted()).toEqual(
    [
      "",
      "# holds data: kubectl -n holdfast delete statefulset.apps/nats",
      "apply: not looked at: podmonitor.monitoring.coreos.com",
      "kubectl -n holdfast delete configmap/settings-old",
    ].toSorted(),
  );
});
