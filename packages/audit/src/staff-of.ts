/**
 * The member of an entry's detail that names the merchant whose staff the actor is; absent for an operator. Names of
 * both come from identity providers, which may give two people the same one.
 */
export function staffOf(person: { staffOf?: string }): { staffOf?: string } {
  return person.staffOf === undefined ? {} : { staffOf: person.staffOf };
}
