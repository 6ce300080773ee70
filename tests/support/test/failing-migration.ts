// Stands in for a migration that fails.
throw new Error("no such table");
