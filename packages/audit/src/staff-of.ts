/**
 * The member of an entry's detail that names the merchant whose staff the actor belongs to; absent for an
 * operator. Actors' names come from identity providers, which may give an operator and a merchant's employee
 * the same one.
 */
export function staffOf(person: { staffOf?: string }): { staffOf?: string } {
  return person.staffOf === undefined ? {} : { staffOf: person.staffOf };
}
