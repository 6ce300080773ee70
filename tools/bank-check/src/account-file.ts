import { readFile } from "node:fs/promises";
import type { AnyConnector } from "@holdfast/acquirer";
import { CONNECTORS } from "@holdfast/banks";
import { businessDaySchema } from "@holdfast/contracts";
import { UsageError } from "@holdfast/service-runtime/command-line";
import { z } from "zod";

import { PROTOCOLS, type ProtocolName } from "./protocols.ts";

/** The body of `POST /operator/acquirer-accounts`, and a test card of the bank. */
const accountFile = z.object({
  protocol: z.enum(Object.keys(PROTOCOLS) as ProtocolName[]),
  name: z.string().max(100).default("test account"),
  currencies: z.array(z.string().regex(/^[A-Z]{3}$/)).min(1),
  settings: z.record(z.string(), z.unknown()),
  secrets: z.record(z.string(), z.string()),
  businessDay: businessDaySchema.default({ timeZone: "Europe/Istanbul", cutOff: "23:00" }),
  testCard: z.strictObject({
    pan: z.string().regex(/^\d{12,19}$/),
    expiryMonth: z.string().regex(/^(0[1-9]|1[0-2])$/),
    expiryYear: z.string().regex(/^(\d\d|20\d\d)$/),
    cvv: z.string().regex(/^\d{3,4}$/),
  }),
  /** The walk's `amount` in minor units; captures and refunds use a part of it. */
  amountMinor: z.int().min(100).max(100_000).default(300),
});

export type TestAccount = z.output<typeof accountFile> & { connector: AnyConnector };

/** @throws UsageError if the file is missing, is not JSON, or is not an account of its protocol. */
export async function readAccountFile(path: string): Promise<TestAccount> {
  const text = await readFile(path, "utf8").catch(() => {
    throw new UsageError(`${path} cannot be read`);
  });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // No cause: the error would repeat a piece of the text.
    throw new UsageError(`${path} is not JSON`);
  }
  const account = parsed("", accountFile, json);
  const connector = CONNECTORS.get(account.protocol);
  if (!connector) throw new Error(`there is no adapter of ${account.protocol}`);
  parsed("settings.", connector.settings, account.settings);
  parsed("secrets.", connector.secrets, account.secrets);
  return { ...account, connector };
}

function parsed<Schema extends z.ZodType>(prefix: string, schema: Schema, value: unknown): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const faults = read.error.issues.map(({ path, message }) => `${prefix}${path.join(".")}: ${message}`);
  throw new UsageError(`the account has faults: ${faults.join("; ")}`);
}
