import { isIPv4, isIPv6 } from "node:net";
import { z } from "zod";

/** Ranges of addresses, as they are shown and given. */
const rangesSchema = z.array(
  z
    .string()
    .max(49)
    .refine(isAddressRange, {
      error: "must be a range of addresses, such as 203.0.113.0/24 or 2001:db8::/32",
      params: { code: "invalid_ip_address" },
    })
    .meta({ examples: ["203.0.113.0/24"] }),
);

/** A range in CIDR notation. All addresses are no range: a credential without restrictions has them. */
function isAddressRange(text: string): boolean {
  const [address = "", bits = "", ...more] = text.split("/");
  const bitsMax = isIPv4(address) ? 32 : isIPv6(address) ? 128 : -1;
  const isLength = /^\d{1,3}$/.test(bits) && Number(bits) > 0 && Number(bits) <= bitsMax;
  // A zone, as in fe80::1%eth0, is of one machine alone.
  return more.length === 0 && !address.includes("%") && isLength;
}

/** The restrictions of a credential, as its merchant shows them. */
export const restrictionsShown = {
  expiresAt: z.iso
    .datetime()
    .optional()
    .meta({ description: "When it ends (UTC): later requests with it are answered with 401" }),
  addresses: z
    .array(z.string())
    .optional()
    .meta({ description: "Ranges of client addresses that it may be used from; absent: any" }),
};

/** The restrictions that a request gives to a new credential. */
export const restrictionsGiven = {
  expiresAt: z.iso
    .datetime()
    // The database's clock, which compares it with the beginning, may be ahead.
    .refine((time) => new Date(time).getTime() > Date.now() + 60_000, {
      error: "must be more than a minute ahead",
      params: { code: "out_of_range" },
    })
    .optional()
    .meta({ description: "When it ends (UTC); without it, when it is revoked" }),
  addresses: rangesSchema.min(1).max(50).optional().meta({
    description: "Ranges of client addresses that it may be used from; without them, any",
  }),
};
