/** The two kinds of people; their tokens have different audiences, and may have different issuers. */
export type PersonKind = "operator" | "staff";

/**
 * A person as records keep them and decisions compare them. A subject alone names nobody: only one issuer's subjects are
 * different people, and of one issuer only those of one audience.
 */
export function personOf({
  kind,
  issuer,
  subject,
}: {
  kind: PersonKind;
  issuer: string;
  subject: string;
}): string {
  return `${kind} ${issuer.replaceAll(/\s/g, "%20")} ${subject}`;
}

const PERSON = /^(operator|staff) \S+ (.+)$/s;

/** The name under which a recorded person is shown. A process has nothing but a name. */
export function nameOf(person: string): string {
  return PERSON.exec(person)?.[2] ?? person;
}

/** Tells whether a recorded person is of a merchant's staff, and so no operator of the same name. */
export function isStaff(person: string): boolean {
  return PERSON.exec(person)?.[1] === "staff";
}
