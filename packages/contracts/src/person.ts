/** The two kinds of people; their tokens have different audiences, and may have different issuers. */
export type PersonKind = "operator" | "staff";

/** A person as records keep them: a subject alone names nobody, since only one issuer's subjects are different people. */
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

const PERSON = /^(operator|staff) (\S+ (.+))$/s;

/** The name under which a recorded person is shown. A process has nothing but a name. */
export function nameOf(person: string): string {
  return PERSON.exec(person)?.[3] ?? person;
}

/** The kind of person that a record names; undefined for a process. */
export function kindOf(person: string): PersonKind | undefined {
  return PERSON.exec(person)?.[1] as PersonKind | undefined;
}

/**
 * True if two records name one person. An issuer has one subject for each (OpenID Connect Core 2), whichever of our
 * audiences a token is for: the kind is no second person.
 */
export function isSamePerson(one: string | null | undefined, other: string): boolean {
  const issuedSubject = (person: string) => PERSON.exec(person)?.[2] ?? person;
  return one !== null && one !== undefined && issuedSubject(one) === issuedSubject(other);
}
