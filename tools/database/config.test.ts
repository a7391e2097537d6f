import { describe, expect, it } from "vitest";
import { checkTable } from "./allow.ts";
import { configSchema, wantsTls } from "./config.ts";
import { mongoSettings } from "./mongo/settings.ts";
import { mysqlSettings } from "./mysql/settings.ts";
import { Refusal } from "./refusal.ts";

const mysql = { type: "mysql", host: "db.example.com", username: "u", database: "d" };

describe("a config", () => {
  it("allows nothing that it does not name", () => {
    const config = configSchema.parse(mysql);
    expect(config).toMatchObject({ allowedTables: [], readOnly: false, maxRows: 100 });
    expect(() => checkTable("orders", config)).toThrow(Refusal);
    expect(() => checkTable("*", configSchema.parse({ ...mysql, allowedTables: ["*"] }))).toThrow(Refusal);
  });

  it.each([
    [{ ...mysql, host: undefined }, "host"],
    [{ ...mysql, database: undefined }, "database"],
    [{ type: "mongodb", host: "h" }, "database"],
    [{ type: "mongodb-data-api", baseUrl: "https://x.test", dataSource: "c", database: "d" }, "apiKey"],
  ])("says what is missing: %j", (config, key) => {
    expect(configSchema.safeParse(config).error?.issues.map(({ path }) => path.join("."))).toEqual([key]);
  });

  it.each([
    { ...mysql, allowedTables: ["a b"] },
    { ...mysql, allowedTables: ["ord*"] },
    { ...mysql, allowedTables: ["`a`"] },
    { ...mysql, maxRows: 1_001 },
    { ...mysql, type: "postgres" },
    { ...mysql, apiKeyHeader: "a: b" },
  ])("is refused: %j", (config) => {
    expect(configSchema.safeParse(config).success).toBe(false);
  });
});

describe("TLS", () => {
  it("is spoken over the internet, and not on the own machine or network, unless the config says otherwise", () => {
    for (const host of ["db.example.com", "8.8.8.8", "172.32.0.1", "10.example.com"]) {
      expect({ host, tls: wantsTls({}, host) }).toEqual({ host, tls: true });
      expect(wantsTls({ tls: false }, host)).toBe(false);
    }
    for (const host of [
      "localhost",
      "127.0.0.1",
      "::1",
      "10.1.2.3",
      "192.168.0.9",
      "172.16.5.4",
      "mariadb",
    ]) {
      expect({ host, tls: wantsTls({}, host) }).toEqual({ host, tls: false });
      expect(wantsTls({ tls: true }, host)).toBe(true);
    }
  });
});

describe("a connection string", () => {
  const withString = (type: string, connectionString: string) =>
    configSchema.parse({ type, connectionString });

  it("is read part by part for MySQL", () => {
    const config = withString("mysql", "mysql://us%40er:p%3Aw@db.example.com:3307/shop");
    expect(mysqlSettings(config)).toEqual({
      ...{ host: "db.example.com", port: 3307, user: "us@er", password: "p:w", database: "shop", tls: true },
    });
    expect(mysqlSettings(withString("mysql", "mysql://u:p@h/d?tls=true"))).toMatchObject({
      port: 3306,
      tls: true,
    });
  });

  it.each([
    "mysql://u:secret-pw@h/d?multipleStatements=true",
    "mysql://u:secret-pw@h/",
    "mysql://:secret-pw@h/d",
    "postgres://u:secret-pw@h/d",
    "secret-pw",
  ])("is refused without being quoted: %s", (text) => {
    const ask = () => mysqlSettings(withString("mysql", text));
    expect(ask).toThrow(Refusal);
    expect(ask).not.toThrow(/secret-pw/);
  });

  it("says where MongoDB is", () => {
    const read = (text: string) => mongoSettings(withString("mongodb", text));
    expect(read("mongodb://u:p@a.example.com:1,b.example.com/shop?replicaSet=r")).toMatchObject({
      ...{ database: "shop", tls: true, single: false, place: { host: "a.example.com", port: 1 } },
    });
    expect(read("mongodb+srv://u:p@c.example.com/shop")).toMatchObject({ tls: null, single: false });
    expect(read("mongodb://localhost/shop?tls=true")).toMatchObject({ tls: null, single: true });
    expect(() => read("mongodb://u:p@h/")).toThrow(Refusal);
  });
});
