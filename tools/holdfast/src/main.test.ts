import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { bareEnvironment } from "@holdfast/tests/support";
import { expect, test } from "vitest";
import { COMMANDS, SERVICES } from "./programs.ts";

/** From the sources, as a debugger starts it. */
function holdfast(...args: string[]) {
  return spawnSync(process.execPath, [join(import.meta.dirname, "main.ts"), ...args], {
    env: bareEnvironment(),
    encoding: "utf8",
  });
}

test("--help lists every program", () => {
  const { status, stdout, stderr } = holdfast("--help");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  for (const name of [...Object.keys(COMMANDS), ...Object.keys(SERVICES)])
    expect(stdout).toMatch(new RegExp(`^  ${name} `, "m"));
  for (const { of } of Object.values(SERVICES)) expect(stdout).toContain(Object.keys(of).join(", "));
});

test.each([
  { args: [], line: "say which program to run; --help lists them" },
  { args: ["play", "payments"], line: 'there is no program "play"; --help lists them' },
  { args: ["constructor"], line: 'there is no program "constructor"; --help lists them' },
  { args: ["keys", "refunds"], line: 'keys takes one of gateway, payments, webhook-dispatcher, not "refunds"' },
  { args: ["reconcile"], line: 'reconcile takes one of payments, refunds, settlement, not ""' },
])("$args is answered with one line and 2", ({ args, line }) => {
  expect(holdfast(...args)).toMatchObject({ status: 2, stdout: "", stderr: `holdfast: ${line}\n` });
});

test.each(Object.keys(SERVICES["run"]!.of))("run %s ends without its settings, and names them", (service) => {
  const { status, stderr } = holdfast("run", service);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^[a-z-]+: the configuration is not valid:\n( {2}\w+.*\n)+$/);
});

test.each(Object.keys(SERVICES["migrate"]!.of))("migrate %s asks for the schema's owner", (service) => {
  const { status, stderr } = holdfast("migrate", service);
  expect(status).toBe(1);
  expect(stderr).toContain("MIGRATION_DATABASE_URL is missing");
});

test("a command gets the arguments after its name", () => {
  expect(holdfast("settle", "--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("settle") });
  expect(holdfast("archive", "--nonsense")).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^archive: .*--nonsense.*\n$/),
  });
});
