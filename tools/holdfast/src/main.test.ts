import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bareEnvironment, holdfast } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import { COMMANDS, SERVICES } from "./programs.ts";

/** The bundle, as everybody starts it. */
async function run(...args: string[]) {
  const [node = "", ...command] = await holdfast(...args);
  return spawnSync(node, command, { env: bareEnvironment(), encoding: "utf8" });
}

test("--help lists every program", async () => {
  const { status, stdout, stderr } = await run("--help");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  for (const name of [...Object.keys(COMMANDS), ...Object.keys(SERVICES)])
    expect(stdout).toMatch(new RegExp(`^  ${name} `, "m"));
  for (const { of } of Object.values(SERVICES)) expect(stdout).toContain(Object.keys(of).join(", "));
});

const RUN_TAKES = "run takes one of gateway, payments, refunds, webhook-dispatcher, settlement, console,";

test.each([
  { args: [], line: "say which program to run; --help lists them" },
  { args: ["play", "payments"], line: 'there is no program "play"; --help lists them' },
  { args: ["constructor"], line: 'there is no program "constructor"; --help lists them' },
  {
    args: ["keys", "refunds"],
    line: 'keys takes one of gateway, payments, webhook-dispatcher, not "refunds"',
  },
  { args: ["run"], line: RUN_TAKES + ' not ""' },
  { args: ["run", "payments", "shop"], line: RUN_TAKES + ' not "shop"' },
  {
    args: ["run", "payments=/nowhere/payments.env"],
    line: "the settings in /nowhere/payments.env cannot be read (ENOENT)",
  },
  { args: ["reconcile"], line: 'reconcile takes one of payments, refunds, settlement, not ""' },
])("$args is answered with one line and 2", async ({ args, line }) => {
  expect(await run(...args)).toMatchObject({ status: 2, stdout: "", stderr: `holdfast: ${line}\n` });
});

test.each(Object.keys(SERVICES["run"]!.of))(
  "run %s ends without its settings, and names them",
  async (service) => {
    const { status, stderr } = await run("run", service);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^[a-z-]+: the configuration is not valid:\n( {2}\w+.*\n)+$/);
  },
);

test("run reads each service's settings from its file, before those of the environment", async () => {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-run-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = (name: string, settings: string) => {
    const path = join(directory, name);
    writeFileSync(path, settings);
    return path;
  };
  const refunds = file("refunds.env", "HEALTH_PORT=none\nLOG_LEVEL=info\n");
  const payments = file("payments.env", "HEALTH_PORT=9001\n");
  const { status, stderr } = await run("run", `refunds=${refunds}`, `payments=${payments}`);
  expect(status).toBe(1);
  const faults = new Map(stderr.split(/(?=^\S)/m).map((part) => [part.split(":")[0], part]));
  expect([...faults.keys()].toSorted()).toEqual(["payments", "refunds"]);
  expect(faults.get("refunds")).toContain("HEALTH_PORT: must be");
  expect(faults.get("payments")).not.toContain("HEALTH_PORT");
});

test.each(Object.keys(SERVICES["migrate"]!.of))("migrate %s asks for the schema's owner", async (service) => {
  const { status, stderr } = await run("migrate", service);
  expect(status).toBe(2);
  expect(stderr).toContain("MIGRATION_DATABASE_URL is missing");
});

test("a command gets the arguments after its name", async () => {
  expect(await run("settle", "--help")).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("settle"),
  });
  expect(await run("archive", "--nonsense")).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^archive: .*--nonsense.*\n$/),
  });
});

test("the sources run without a bundle, for a debugger", () => {
  const program = join(import.meta.dirname, "main.ts");
  const options = { env: bareEnvironment(), encoding: "utf8" } as const;
  const { status, stderr } = spawnSync(process.execPath, [program, "run", "payments"], options);
  expect(status).toBe(1);
  expect(stderr).toContain("payments: the configuration is not valid:");
});
