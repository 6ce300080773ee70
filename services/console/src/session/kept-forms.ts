import { createHash, randomBytes } from "node:crypto";
import { holdsCardNumber } from "@holdfast/contracts";
import { fromNow } from "@holdfast/postgres";
import { openAtRest, sealAtRest, SecretUnreadableError, type RestKeyRing } from "@holdfast/sealing";
import type { Kysely } from "kysely";
import { z } from "zod";
import type { ConsoleDatabase } from "../database.ts";

type Store = { db: Kysely<ConsoleDatabase>; keys: RestKeyRing };

/** A form's person, as `personOf` names them, and the path of its page. Nobody else gets it, and no other page. */
export type FormPlace = { person: Buffer; page: string };

/** A form that is given back. It is whole unless a field had a secret or a card number, which are not kept. */
export type KeptForm = { form: URLSearchParams; isWhole: boolean };

const contentSchema = z.object({
  fields: z.array(z.tuple([z.string(), z.string()])),
  isWhole: z.boolean(),
});

/** Kept longer than a sign-in may take. */
export const FORM_KEPT_MS = 900_000;
/** Room for the longest texts that the forms take, such as a webhook's body. */
const CONTENT_BYTES_MAX = 64_000;
/** The number of a person's newest forms that are kept, enough for the tabs of one window. */
const FORMS_MAX = 10;
/** The values of an endpoint's added headers, and those with which an account at a bank is reached. */
const isSecretField = (name: string) => name === "headers" || name.startsWith("secrets.");

/**
 * Keeps a person's input under the form's own key. If the kept form's first copy was carried out after all,
 * pressing the button again does not carry it out twice.
 *
 * @param wasWhole false for a form that was given back without a part of it.
 * @returns the id with which it is given back; undefined for a form that is too long to be kept.
 */
export async function keepForm(
  { db, keys }: Store,
  place: FormPlace,
  sent: URLSearchParams,
  wasWhole = true,
): Promise<string | undefined> {
  const entered = [...sent].filter(([name]) => name !== "formToken");
  const isSecret = ([name, value]: [string, string]) => isSecretField(name) || holdsCardNumber(value);
  const content = JSON.stringify({
    // An emptied field keeps its place among the fields of the same name.
    fields: entered
      .filter(([name, value]) => !isSecretField(name) || value === "")
      .map((field): [string, string] => (isSecret(field) ? [field[0], ""] : field)),
    isWhole: wasWhole && !entered.some((field) => field[1] !== "" && isSecret(field)),
  } satisfies z.infer<typeof contentSchema>);
  if (Buffer.byteLength(content) > CONTENT_BYTES_MAX) return undefined;
  const id = randomBytes(16).toString("base64url");
  const form_hash = hashOf(place, id);
  const sealed = sealAtRest(keys, ownerOf(form_hash), content);
  await db.insertInto("kept_form").values({ form_hash, person_hash: place.person, sealed }).execute();
  await forgetOldest(db, place.person);
  return id;
}

async function forgetOldest(db: Store["db"], person: Buffer): Promise<void> {
  const newest = db
    .selectFrom("kept_form")
    .select("form_hash")
    .where("person_hash", "=", person)
    .orderBy("created_at", "desc")
    .limit(FORMS_MAX);
  await db
    .deleteFrom("kept_form")
    .where("person_hash", "=", person)
    .where("form_hash", "not in", newest)
    .execute();
}

/**
 * Reads a kept form; once its page has shown it, it is deleted.
 *
 * @returns undefined if no form is kept, or no longer, for this person and page.
 */
export async function readForm(
  { db, keys }: Store,
  place: FormPlace,
  id: string,
): Promise<KeptForm | undefined> {
  const form_hash = hashOf(place, id);
  const row = await db
    .selectFrom("kept_form")
    .select("sealed")
    .where("form_hash", "=", form_hash)
    .where("created_at", ">", fromNow(-FORM_KEPT_MS))
    .executeTakeFirst();
  const content = row && open(keys, form_hash, row.sealed);
  return content && { form: new URLSearchParams(content.fields), isWhole: content.isWhole };
}

/** Forgets a form that its page has shown. */
export async function forgetForm({ db }: Pick<Store, "db">, place: FormPlace, id: string): Promise<void> {
  await db.deleteFrom("kept_form").where("form_hash", "=", hashOf(place, id)).execute();
}

/** @returns the number of deleted forms, for which nobody has come back. */
export async function purgeForms(db: Store["db"], olderThanMs: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("kept_form")
    .where("created_at", "<", fromNow(-olderThanMs))
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** A form whose key has left the ring cannot be read. */
function open(
  keys: RestKeyRing,
  form_hash: Buffer,
  sealed: Buffer,
): z.infer<typeof contentSchema> | undefined {
  try {
    return contentSchema.parse(JSON.parse(openAtRest(keys, ownerOf(form_hash), sealed)));
  } catch (error) {
    if (error instanceof SecretUnreadableError) return undefined;
    throw error;
  }
}

/** Another person, or another page, has another hash with the same id, and so finds nothing. */
function hashOf({ person, page }: FormPlace, id: string): Buffer {
  return createHash("sha256")
    .update(person)
    .update(JSON.stringify([id, page]))
    .digest();
}

function ownerOf(form_hash: Buffer): string {
  return `console form ${form_hash.toString("hex")}`;
}
