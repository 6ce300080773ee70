import { access, mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { writeDurably } from "@holdfast/bank-simulator/core";

import type { EndedDay } from "./bank/business-day.ts";
import { statementText } from "./bank/statement.ts";
import { dayDigits } from "./bank-time.ts";
import type { Merchant } from "./merchants.ts";
import type { Rules } from "./modes.ts";
import { encodeIso88599 } from "./wire/iso-8859-9.ts";

export type SettlementFolderDeps = {
  ledgerFile: string;
  merchants: readonly Merchant[];
  rulesFor: (merchant: Merchant) => Rules;
};

/** The statements that days' ends have written, a file for each merchant and day, next to the ledger. */
export class SettlementFolder {
  readonly #path: string;
  readonly #deps: SettlementFolderDeps;

  constructor(deps: SettlementFolderDeps) {
    this.#path = `${deps.ledgerFile}.settlement`;
    this.#deps = deps;
  }

  /** Writes the statements of a day that are not there. A crash between a day's end and this is mended at the next start. */
  async write(day: EndedDay): Promise<void> {
    await mkdir(this.#path, { recursive: true });
    for (const merchant of this.#deps.merchants) {
      const batch = String(day.batch).padStart(6, "0");
      const path = join(this.#path, `ekstre-${merchant.clientId}-${batch}-${dayDigits(day.closedAtMs)}.csv`);
      if (await exists(path)) continue;
      const text = statementText(day, merchant, this.#deps.rulesFor(merchant).installmentPayout);
      await writeDurably(path, encodeIso88599(text));
    }
  }

  /** The names of the newest files, a thousand at most, oldest first. */
  async list(): Promise<string[]> {
    const names = await readdir(this.#path).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    const ofBatch = (name: string) => NAME.exec(name)?.[1] ?? "";
    return names
      .filter((name) => NAME.test(name))
      .toSorted((one, other) => (`${ofBatch(one)}${one}` < `${ofBatch(other)}${other}` ? -1 : 1))
      .slice(-NAMES_MAX);
  }

  /** @returns undefined where there is no such file */
  async read(name: string): Promise<Buffer | undefined> {
    if (!NAME.test(name)) return undefined;
    return readFile(join(this.#path, name)).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

const NAME = /^ekstre-\d{1,15}-(\d{6,})-\d{8}\.csv$/;
const NAMES_MAX = 1_000;
