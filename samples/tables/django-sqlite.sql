-- What the migrations of django-push-notifications make, in SQLite; without the reference to the table of users.
CREATE TABLE "push_notifications_apnsdevice" (
  "id" integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  "name" varchar(255) NULL,
  "active" bool NOT NULL,
  "date_created" datetime NULL,
  "device_id" char(32) NULL,
  "registration_id" varchar(200) NOT NULL UNIQUE,
  "user_id" integer NULL,
  "application_id" varchar(64) NULL
);
