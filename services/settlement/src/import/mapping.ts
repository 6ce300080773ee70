import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { assetPath } from "@holdfast/assets";
import { z } from "zod";
import { LINE_KINDS } from "./settlement-line.ts";

const column = z.string().min(1).max(100);
const oneColumn = z.strictObject({ column });
const kind = z.enum(LINE_KINDS);

/**
 * The sum of some columns. `byKind` gives it the sign of the kind: an amount that the merchant pays back is negative.
 */
const amount = z.strictObject({
  columns: z.array(column).min(1).max(5),
  sign: z.enum(["asWritten", "byKind"]).default("asWritten"),
});

const ofRecords = {
  encoding: z.enum(["utf-8", "windows-1254", "iso-8859-9"]),
  dates: z.enum(["yyyy-MM-dd", "dd.MM.yyyy", "dd/MM/yyyy", "yyyyMMdd"]),
  /** The bank's own last line, which is no movement: where `column` is `equals`. A file without it is cut off. */
  totals: z
    .strictObject({
      column,
      equals: z.string().min(1),
      count: column.optional(),
      gross: column.optional(),
      net: column.optional(),
    })
    .optional(),
  /** Lines that report no movement of money, such as authorizations. */
  skip: z
    .array(z.strictObject({ column, equals: z.string() }))
    .max(10)
    .default([]),
};

/** Cells between delimiters, under a line with the columns' names. */
const csvFile = z.strictObject({
  ...ofRecords,
  format: z.literal("csv"),
  delimiter: z.enum([",", ";", "\t", "|"]),
  decimal: z.enum([".", ","]),
});

const LINE_CHARACTERS_MAX = 10_000;

/** Columns at the same places of each line, counted in characters from 1. */
export const fixedFile = z.strictObject({
  ...ofRecords,
  format: z.literal("fixed"),
  /** `implied`: without a sign, the last digits are the decimals that the currency has. */
  decimal: z.enum([".", ",", "implied"]),
  columns: z
    .array(
      z.strictObject({
        name: column,
        from: z.int().min(1).max(LINE_CHARACTERS_MAX),
        length: z.int().min(1).max(1_000),
      }),
    )
    .min(1)
    .max(200),
  /**
   * The length of each line; a line of another length is a fault. Undefined if the bank omits blanks at the
   * end of a line.
   */
  lineLength: z.int().min(1).max(LINE_CHARACTERS_MAX).optional(),
});

const fields = z.strictObject({
  reference: oneColumn.optional(),
  bankReference: oneColumn.optional(),
  authCode: oneColumn.optional(),
  maskedCard: oneColumn.optional(),
  item: oneColumn.optional(),
  installment: oneColumn.optional(),
  installments: oneColumn.optional(),
  gross: amount,
  fee: amount.optional(),
  net: amount.optional(),
  currency: z.union([oneColumn, z.strictObject({ const: z.string().regex(/^[A-Z]{3}$/) })]),
  /** A column with date and time, or a column for each. */
  transactedAt: z.strictObject({ columns: z.array(column).min(1).max(2) }).optional(),
  settlesOn: oneColumn.optional(),
  payoutId: oneColumn.optional(),
});

const head = {
  source: z.string().regex(/^[a-z0-9][a-z0-9.-]{0,63}$/),
  version: z.int().min(1).max(1_000_000),
  description: z.string().min(1).max(500),
};

const recordsMapping = z
  .strictObject({
    ...head,
    file: z.discriminatedUnion("format", [csvFile, fixedFile]),
    kind: z.union([
      z.strictObject({ column, map: z.record(z.string().max(100), kind) }),
      z.strictObject({ const: kind }),
    ]),
    fields,
  })
  .check(({ value: mapping, issues }) => {
    if (mapping.file.format !== "fixed") return;
    const names = mapping.file.columns.map(({ name }) => name);
    const refuse = (message: string) =>
      issues.push({ code: "custom", path: ["file", "columns"], message, input: names });
    for (const name of columnsOf(mapping)) if (!names.includes(name)) refuse(`no column "${name}"`);
    for (const name of new Set(names.filter((each, at) => names.indexOf(each) !== at)))
      refuse(`"${name}" twice`);
  });
const camtMapping = z.strictObject({ ...head, file: z.strictObject({ format: z.literal("camt.053") }) });

/** The form of a bank's file: data that a person can check, without expressions. */
export type Mapping = RecordsMapping | z.infer<typeof camtMapping>;
/** The mapping of a file whose records are lines. */
export type RecordsMapping = z.infer<typeof recordsMapping>;
export type CsvFile = z.infer<typeof csvFile>;
export type FixedFile = z.infer<typeof fixedFile>;

export function hasRecords(mapping: Mapping): mapping is RecordsMapping {
  return mapping.file.format !== "camt.053";
}

/** The columns that a file has to have. */
export function columnsOf(mapping: RecordsMapping): string[] {
  const { file, kind, fields } = mapping;
  const named = Object.values(fields).flatMap((field) =>
    field === undefined ? [] : "column" in field ? [field.column] : "columns" in field ? field.columns : [],
  );
  const { totals } = file;
  return [
    ...new Set([
      ...named,
      ...("column" in kind ? [kind.column] : []),
      ...file.skip.map(({ column: skipped }) => skipped),
      ...(totals ? [totals.column, totals.count, totals.gross, totals.net] : []),
    ]),
  ].filter((each) => each !== undefined);
}

/** The shipped mappings, in the repository and in the image alike. */
export const SHIPPED_MAPPINGS = assetPath("deploy/settlement-mappings");

/** An invalid mapping. */
export class MappingError extends Error {
  override name = "MappingError";
  readonly code = "mapping";
}

/**
 * The mappings by name. A later directory's mapping replaces an earlier one's, and an invalid one throws.
 *
 * @throws MappingError
 */
export async function readMappings(directories: readonly string[]): Promise<Map<string, Mapping>> {
  const mappings = new Map<string, Mapping>();
  for (const directory of directories) {
    for (const name of (await readdir(directory)).toSorted()) {
      if (!name.endsWith(".json")) continue;
      const mapping = parseMapping(await readFile(join(directory, name), "utf8"), join(directory, name));
      mappings.set(mapping.source, mapping);
    }
  }
  return mappings;
}

/** @param where named in the error. */
export function parseMapping(text: string, where: string): Mapping {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new MappingError(`${where} is not JSON`, { cause });
  }
  // The format decides which of the two forms the faults are about.
  const isCamt = camtMapping.shape.file.safeParse((json as { file?: unknown } | null)?.file).success;
  const parsed = (isCamt ? camtMapping : recordsMapping).safeParse(json);
  if (parsed.success) return parsed.data;
  throw new MappingError(`${where} is no mapping: ${z.prettifyError(parsed.error)}`);
}
