import { z } from "zod";

/**
 * A merchant has two modes: live, and test, in which no bank is reached. After authentication they are two
 * merchants. The test merchant's id is the merchant's with version 8 (RFC 9562, section 5.8) instead of
 * version 7. Every key, index, limit and look-up by merchant therefore separates the two, and an id tells its
 * mode without a look-up (docs/adr/0045).
 * Test accounts at acquirers have ids of version 8, too, and the database lets a payment have only an account
 * of its mode.
 */

const VERSION_AT = "xxxxxxxx-xxxx-".length;
const TEST_VERSION = "8";
const MERCHANT_VERSION = "7";

/** True if it is the id of a live merchant or account. @param id a UUID. */
export function isLive(id: string): boolean {
  return id[VERSION_AT] !== TEST_VERSION;
}

/** The id of a merchant's test mode. @param id a UUID. */
export function testIdOf(id: string): string {
  return withVersion(id, TEST_VERSION);
}

/** The id of the merchant itself. @param id its id in either mode; the result is a UUIDv7. */
export function merchantIdOf(id: string): string {
  return isLive(id) ? id : withVersion(id, MERCHANT_VERSION);
}

/** The id under which a merchant's records of one mode are kept. @param merchantId of the merchant itself. */
export function idInMode(merchantId: string, livemode: boolean): string {
  return livemode ? merchantId : testIdOf(merchantId);
}

function withVersion(id: string, version: string): string {
  return `${id.slice(0, VERSION_AT)}${version}${id.slice(VERSION_AT + 1)}`;
}

/** The mode of a record. */
export const livemodeSchema = z
  .boolean()
  .meta({ description: "`false` for what was made in test mode: no money has moved" });

/** Narrows an operator's request to one mode. */
export const livemodeParameter = z
  .enum(["true", "false"], { error: "must be true or false" })
  .optional()
  .meta({
    description: "Mode of what is meant: `false` for test mode",
    override: ({ jsonSchema }) => {
      delete jsonSchema.enum;
      Object.assign(jsonSchema, { type: "boolean", default: true });
    },
  });

/** @param parameter undefined is live. */
export function livemodeOf(parameter: "true" | "false" | undefined): boolean {
  return parameter !== "false";
}
