import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** Every script of package.json, as people call it: with `--help`, and with a flag that it does not have. */
const repository = join(import.meta.dirname, "..", "..");
const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};
// npm calls the hook itself.
const names = Object.keys(scripts).filter((name) => name !== "postinstall");
/** Foreign programs have their own messages for an unknown flag. */
const isOurs = (name: string) =>
  !/(^|run\.mjs (--product )?)(vitest|oxlint|oxfmt|tsc)\b/.test(
    scripts[name]!.replace(/^.*exec node scripts\//, ""),
  );

async function npm(name: string, flag: string) {
  const child = spawn("npm", ["run", "--silent", name, "--", flag], {
    cwd: repository,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { out: "", err: "" };
  child.stdout.on("data", (chunk) => (output.out += String(chunk)));
  child.stderr.on("data", (chunk) => (output.err += String(chunk)));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, ...output };
}

test.concurrent.each(names)("npm run %s -- --help says what it does", async (name) => {
  const { code, out, err } = await npm(name, "--help");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).not.toBe("");
});

test.concurrent.each(names.filter(isOurs))(
  "npm run %s refuses a flag it does not have in one line",
  async (name) => {
    const { code, err } = await npm(name, "--no-such-flag");
    expect(code).toBe(2);
    expect(err).toMatch(/^[a-z:-]+: .*no-such-flag.*\n$/);
  },
);
