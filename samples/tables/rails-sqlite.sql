-- What a migration of Rails makes of create_table :devices, in SQLite.
CREATE TABLE "devices" (
  "id" integer PRIMARY KEY AUTOINCREMENT NOT NULL,
  "user_id" integer NOT NULL,
  "token" varchar NOT NULL,
  "platform" varchar NOT NULL,
  "bundle_id" varchar,
  "environment" varchar,
  "created_at" datetime(6) NOT NULL,
  "updated_at" datetime(6) NOT NULL,
  "unregistered_at" datetime(6)
);
CREATE INDEX "index_devices_on_token" ON "devices" ("token");
