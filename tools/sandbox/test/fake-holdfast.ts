// Stands in for `holdfast run` and `holdfast migrate`.
await import(process.argv[2] === "migrate" ? "./fake-migration.ts" : "./fake-service.ts");
