// `deploy/k8s/run` against a kubectl that writes down how it is called.
import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { buildOverlay, deployDir } from "./build-overlay.ts";
import { ofKind, type Manifest } from "./manifest.ts";
import { findProgram } from "../../tools/holdfast/src/find-program.ts";

type Answer = { asked: string; out?: string; code?: number; times?: number };

async function run(
  args: string[],
  answers: Answer[] = [{ asked: "get job", out: "Complete " }],
  variables: Record<string, string> = {},
) {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-run-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  copyFileSync(join(import.meta.dirname, "recorded-kubectl.sh"), join(dir, "kubectl"));
  const all = [
    ...answers,
    { asked: "auth whoami", out: "olga@example.com" },
    { asked: "--dry-run=client", out: "{}" },
    { asked: "create -f - -o jsonpath", out: "uid-1" },
    { asked: "logs", out: "42 rows" },
  ];
  for (const [index, { asked, out = "", code = 0, times = "" }] of all.entries()) {
    const name = join(dir, `${index}`.padStart(2, "0"));
    for (const [part, text] of Object.entries({ asked, out, err: "", code, times }))
      writeFileSync(`${name}.${part}`, `${text}`);
  }
  writeFileSync(join(dir, "calls"), "");
  writeFileSync(join(dir, "bins.csv"), "bin,card_scheme\n");
  writeFileSync(join(dir, "large.csv"), "x".repeat(1_048_577));
  writeFileSync(join(dir, "a b.csv"), "");
  const env = {
    PATH: `${dir}:/usr/bin:/bin`,
    KUBECTL_DIR: dir,
    RUN_POLL_SECONDS: "0",
    RUN_POLLS: "3",
    RUN_UNANSWERED: "3",
    ...variables,
  };
  const own = args.map((argument) => argument.replace("DIR", dir));
  const [code, output] = await new Promise<[unknown, string]>((resolve) => {
    execFile(join(deployDir, "k8s", "run"), own, { env }, (error, stdout, stderr) =>
      resolve([error?.code ?? 0, `${stdout}${stderr}`]),
    );
  });
  const calls = readFileSync(join(dir, "calls"), "utf8").split("\n").slice(0, -1);
  const patched = calls.find((call) => call.includes("patch --local"));
  const patch = patched && (JSON.parse(/ -p (\[.*\]) /.exec(patched)![1]!) as Operation[]);
  return { code, output, calls: calls.map((call) => call.replaceAll(/-\d{8}-\d{6}-\d+/g, "-NOW")), patch };
}
type Operation = { op: string; path: string; value: unknown };

const argumentsIn = (patch: Operation[] | undefined | "") =>
  (patch || []).filter(({ path }) => path.endsWith("/args/-")).map(({ value }) => value);

test("makes a Job of the template, waits for its end and shows its whole log", async () => {
  const { code, output, calls } = await run(
    ["keys-payments"],
    [
      { asked: "get job", out: "", times: 2 },
      { asked: "get job", out: "Complete " },
    ],
  );
  expect(code).toBe(0);
  expect(output).toContain("42 rows");
  expect(calls).toEqual([
    WHOAMI,
    "-n holdfast create job run-keys-payments-NOW --from=cronjob/keys-payments --dry-run=client -o json",
    expect.stringMatching(/^patch --local --type=json -f - -p /),
    "-n holdfast create -f - -o jsonpath={.metadata.uid}",
    ...Array.from({ length: 3 }, () => expect.stringContaining("get job run-keys-payments-NOW")),
    "-n holdfast logs job/run-keys-payments-NOW --tail=-1",
  ]);
});

const WHOAMI = "auth whoami -o jsonpath={.status.userInfo.username}";
const runBy = (patch: Operation[] | undefined | "") =>
  (patch || []).filter(({ path }) => path.endsWith("/env/-")).map(({ value }) => value);

test("the Job says who runs it, as the cluster knows them, and beside a pipeline the person that it says", async () => {
  const { patch } = await run(["keys-payments", "reencrypt"]);
  expect(runBy(patch)).toEqual([{ name: "COMMAND_RUN_BY", value: "olga@example.com" }]);
  const pipeline: Answer = { asked: "auth whoami", out: "system:serviceaccount:ci:deployer" };
  const byPipeline = await run(["settle"], [pipeline, { asked: "get job", out: "Complete " }], {
    RUN_BY: "kim@example.com",
  });
  expect(runBy(byPipeline.patch)).toEqual([
    { name: "COMMAND_RUN_BY", value: "kim@example.com via system:serviceaccount:ci:deployer" },
  ]);
});

test.each<[string, Answer, Record<string, string>, string]>([
  ["a cluster that does not say who asks", { asked: "auth whoami", code: 1 }, {}, "does not say who you are"],
  ["a name that is none", { asked: "auth whoami", out: "olga" }, { RUN_BY: 'kim","x":"' }, "not a name"],
  ["a name of two lines", { asked: "auth whoami", out: "olga" }, { RUN_BY: "kim\nolga" }, "not a name"],
  ["a name without an end", { asked: "auth whoami", out: "o".repeat(151) }, {}, "not a name"],
])("with %s nothing is made", async (_case, answer, variables, reason) => {
  const { code, output, calls } = await run(["keys-payments"], [answer], variables);
  expect(code).toBe(2);
  expect(output).toContain(reason);
  expect(calls).toEqual([WHOAMI]);
});

test("hands arguments on as they are", async () => {
  const { patch } = await run(["reconcile-refunds", "--since", "2026-01-31T12:00:00Z"]);
  expect(argumentsIn(patch)).toEqual(["--since", "2026-01-31T12:00:00Z"]);
});

test("a file is a ConfigMap while the Job runs, and the argument behind the subcommand", async () => {
  const { calls, patch } = await run(["settle", "--file", "DIR/bins.csv", "import", "--account", "a 1"]);
  expect(argumentsIn(patch)).toEqual(["import", "/etc/holdfast/input/bins.csv", "--account", "a 1"]);
  expect(calls[1]).toMatch(/^-n holdfast create configmap run-settle-NOW --from-file=bins\.csv=\S+$/);
  expect(calls.find((call) => call.includes("patch configmap"))).toBe(
    '-n holdfast patch configmap run-settle-NOW --type=merge -p {"metadata":{"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"run-settle-NOW","uid":"uid-1"}]}}',
  );
  expect(calls.at(-1)).toBe("-n holdfast delete configmap run-settle-NOW --ignore-not-found");
  const { patch: withoutSubcommand } = await run(["import-bins", "--file", "DIR/bins.csv", "--dry-run"]);
  expect(argumentsIn(withoutSubcommand)).toEqual(["/etc/holdfast/input/bins.csv", "--dry-run"]);
});

test("a Job that fails is seen immediately, its log shown, and its file removed", async () => {
  const { code, output, calls } = await run(
    ["import-bins", "--file", "DIR/bins.csv"],
    [{ asked: "get job", out: "Failed " }],
  );
  expect(code).toBe(1);
  expect(output).toContain("42 rows");
  expect(output).toContain("failed: job/run-import-bins-");
  expect(calls.filter((call) => call.includes("get job"))).toHaveLength(1);
  expect(calls.at(-1)).toContain("delete configmap");
});

test.each<[string, Answer[]]>([
  ["does not end in its time", [{ asked: "get job", out: "" }]],
  ["the cluster says nothing more of", [{ asked: "get job", code: 1 }]],
  [
    "may have been made",
    [
      { asked: "create -f", code: 1 },
      { asked: "get job", out: "job.batch/it" },
    ],
  ],
  ["may have been made, in a cluster that is gone", [{ asked: "create -f|get job", code: 1 }]],
])("a Job that %s is not called a success, may still run, and keeps its file", async (_case, answers) => {
  const { code, output, calls } = await run(["import-bins", "--file", "DIR/bins.csv"], answers);
  expect(code).toBe(1);
  expect(output).toContain("may still run: kubectl -n holdfast logs job/run-import-bins-");
  expect(calls.some((call) => call.includes("delete"))).toBe(false);
});

test("the file of a Job that was not made is removed", async () => {
  const { code, calls } = await run(
    ["import-bins", "--file", "DIR/bins.csv"],
    [
      { asked: "create -f", code: 1 },
      { asked: "get job", out: "" },
    ],
  );
  expect(code).toBe(1);
  expect(calls.at(-1)).toContain("delete configmap");
});

test("a question that the cluster does not answer is asked again", async () => {
  const { code } = await run(
    ["keys-payments"],
    [
      { asked: "get job", code: 1, times: 2 },
      { asked: "get job", out: "Complete " },
    ],
  );
  expect(code).toBe(0);
});

test("a Job that failed is called so when its pod and its log are gone", async () => {
  const { code, output } = await run(
    ["keys-payments"],
    [
      { asked: "get job", out: "Failed " },
      { asked: "logs", code: 1 },
    ],
  );
  expect(code).toBe(1);
  expect(output).toContain("failed: job/run-keys-payments-");
});

test.each([
  ["an argument that would have to be escaped", ["keys-payments", 'a"b'], "must not have quotes"],
  ["a file that is not there", ["settle", "--file", "DIR/none.csv"], "no such file"],
  ["a file that no ConfigMap takes", ["settle", "--file", "DIR/large.csv"], "more than 1 MiB"],
  ["a name that is no key of a ConfigMap", ["settle", "--file", "DIR/a b.csv"], "may only have letters"],
])("%s is refused before anything is made", async (_case, args, reason) => {
  const { code, output, calls } = await run(args);
  expect(code).toBe(2);
  expect(output).toContain(reason);
  expect(calls).toEqual([]);
});

test("a cluster that refuses ends it, and nothing is shown as done", async () => {
  const { code, calls } = await run(["keys-payments"], [{ asked: "--dry-run=client", code: 1 }]);
  expect(code).toBe(1);
  expect(calls).toHaveLength(2);
});

describe("the templates", () => {
  let commands: Manifest[];
  beforeAll(async () => {
    const cronJobs = ofKind(await buildOverlay("production"), "CronJob");
    commands = cronJobs.filter(({ metadata }) => metadata.name !== "verify-audit");
  });

  test("there is one for each command of docs/kubernetes.md, and each is in it", () => {
    const text = readFileSync(join(deployDir, "..", "docs", "kubernetes.md"), "utf8");
    const section = text.split("\n## Commands\n")[1]!.split("\n## ")[0]!;
    const named = [...section.matchAll(/^\| `([\w-]+)`/gm)].map(([, name]) => name!);
    expect(named.toSorted()).toEqual(
      [...commands.map(({ metadata }) => metadata.name), "verify-audit"].toSorted(),
    );
  });

  test("run by nobody but a person, once, and within an hour", () => {
    for (const { metadata, spec } of commands) {
      expect(spec.suspend, metadata.name).toBe(true);
      expect(spec.jobTemplate.spec, metadata.name).toMatchObject({
        backoffLimit: 0,
        activeDeadlineSeconds: 3_600,
      });
    }
  });

  test("take the name of who runs them into their environment", () => {
    for (const { metadata, spec } of commands) {
      const [{ env }] = spec.jobTemplate.spec.template.spec.containers;
      expect(env, metadata.name).toEqual(expect.any(Array));
    }
  });

  test("name a program that there is", () => {
    for (const { spec } of commands) {
      const [{ args }] = spec.jobTemplate.spec.template.spec.containers;
      expect(() => findProgram(args as string[])).not.toThrow();
    }
  });
});
