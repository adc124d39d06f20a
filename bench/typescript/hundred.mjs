// A design of 100 entities with five calls each, in ten modules.

const lines = ["design hundred version 1", "caller { userId string(1..40) }", "defaults { billing on_demand  recovery 35d  encryption aws_owned  protect deletion }", "table T \"hundred\" { key (PK | SK) }"];
for (let at = 0; at < 100; at += 1) {
  const [name, id] = [`Thing${at}`, `thing${at}Id`];
  lines.push(`entity ${name} in T {`);
  lines.push(`  PK = "USER#{userId}"  SK = "T${at}#{${id}}"`);
  lines.push(`  userId string(1..40)`);
  lines.push(`  ${id} id("t${at}_", nanoid 16) = new`);
  lines.push(`  name string(1..120)`);
  lines.push(`  kind small | medium | large = small`);
  lines.push(`  tags? set(string(..40), max 10)`);
  lines.push(`  parts? list({ label string(..40), count int(0..100) }, max 10)`);
  lines.push(`  count int(0..) = 0 @counter`);
  lines.push(`  createdAt time(iso) = now @immutable`);
  lines.push(`  tenant userId`, `}`);
  lines.push(`operation create${name} = create ${name}`);
  lines.push(`operation update${name} = update ${name} [name, kind, tags, parts]`);
  lines.push(`operation delete${name} = delete ${name}`);
  lines.push(`pattern get${name} = get ${name} by userId, ${id}`);
  lines.push(`pattern list${name} = list ${name} by userId page 50`);
}
for (let module = 0; module < 10; module += 1) {
  const calls = [];
  for (let at = module * 10; at < module * 10 + 10; at += 1) {
    calls.push(...["create", "update", "delete", "get", "list"].map((verb) => `${verb}Thing${at}`));
  }
  lines.push(`module part${module} { ${calls.join(", ")} }`);
}
console.log(lines.join("\n"));
