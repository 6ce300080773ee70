import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** Reads a file in a process that has little memory. @returns the lines and faults that it found. */
async function readWithLittleMemory(mapping: string, parts: string): Promise<string> {
  const here = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
  const program = `
    import { readMappings, SHIPPED_MAPPINGS } from ${here("./mapping.ts")};
    import { readSettlementFile } from ${here("./read-settlement-file.ts")};
    async function* parts() { ${parts} }
    const mapping = (await readMappings([SHIPPED_MAPPINGS])).get("${mapping}");
    let [lines, faults] = [0, 0];
    for await (const batch of readSettlementFile(mapping, parts(), { bytesMax: 2 ** 30, faultsMax: 10_000 })) {
      lines += batch.lines.length;
      faults += batch.faults.length;
    }
    console.log(lines + " lines, " + faults + " faults");`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--max-old-space-size=96",
    "--input-type=module-typescript",
    "--eval",
    program,
  ]);
  return stdout.trim();
}

test("an entry of a statement may have millions of different elements", async () => {
  const parts = `
    const bytes = (text: string) => Buffer.from(text);
    yield bytes('<Document><BkToCstmrStmt><Stmt><Ntry><Amt Ccy="TRY">1</Amt><CdtDbtInd>CRDT</CdtDbtInd><ValDt><Dt>2026-11-23</Dt></ValDt>');
    for (let at = 0; at < 2_500_000; at += 1_000)
      yield bytes(Array.from({ length: 1_000 }, (_, index) => "<x" + (at + index) + ">t</x" + (at + index) + ">").join(""));
    yield bytes("</Ntry></Stmt></BkToCstmrStmt></Document>");`;
  expect(await readWithLittleMemory("camt.053", parts)).toBe("1 lines, 0 faults");
});

test("lines may be as long as they may be, and all of it cells", async () => {
  const parts = `
    const header = "kind,reference,bank_reference,auth_code,card,gross,fee,net,currency,transacted_at,settles_on,payout_id";
    const more = Array.from({ length: 9_000 }, (_, index) => "x" + index);
    yield Buffer.from([header, ...more].join(",") + "\\n");
    const cells = more.map((name) => name.slice(0, 4)).join(",");
    for (let line = 0; line < 1_500; line++)
      yield Buffer.from("SALE,,,,,1.00,0.00,1.00,TRY,2026-03-10T12:00:00,2026-03-11,," + cells + "\\n");`;
  expect(await readWithLittleMemory("generic", parts)).toBe("1500 lines, 0 faults");
});
