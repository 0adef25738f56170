#include "stamp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_STAMP = 96, MAX_WORDS = 3, QUARTER = 900, DAY = 86400, FARTHEST_ZONE = 14 * 3600 };

static int64_t seconds_of(int year, int month, int day, int hour, int minute, int second)
{
	struct tm time = {.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day,
		.tm_hour = hour, .tm_min = minute, .tm_sec = second};
	return (int64_t)timegm(&time);
}

/* The latest such date that is not after newest; local times may be ahead of it by less than a day. */
static int64_t seconds_without_year(int64_t newest, int month, int day, int hour, int minute, int second)
{
	time_t limit = (time_t)newest + DAY;
	struct tm latest;
	gmtime_r(&limit, &latest);
	int64_t at = seconds_of(latest.tm_year + 1900, month, day, hour, minute, second);
	return at <= limit ? at : seconds_of(latest.tm_year + 1899, month, day, hour, minute, second);
}

static bool klog_stamp(const char *text, int64_t newest, struct stamp *stamp)
{
	char severity;
	int month, day, hour, minute, second;
	unsigned long long pid;
	if (sscanf(text, "%c%2d%2d %2d:%2d:%2d.%*d %llu", &severity, &month, &day, &hour, &minute, &second, &pid) != 7 ||
	    !strchr("IWEF", severity))
		return false;
	*stamp = (struct stamp){.dated = true, .local = true, .pid = pid,
		.at = seconds_without_year(newest, month, day, hour, minute, second)};
	return true;
}

static bool iso_stamp(const char *text, struct stamp *stamp)
{
	int year, month, day, hour, minute, second, hours, minutes, end = 0;
	char sign;
	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%c%2d%n", &year, &month, &day, &hour, &minute, &second, &sign, &hours,
		    &end) != 8 || !strchr("+-", sign) || sscanf(text + end + (text[end] == ':'), "%2d", &minutes) != 1)
		return false;
	int64_t ahead = (hours * 60 + minutes) * 60;
	*stamp = (struct stamp){.dated = true,
		.at = seconds_of(year, month, day, hour, minute, second) - (sign == '-' ? -ahead : ahead)};
	return true;
}

static bool json_stamp(const char *text, struct stamp *stamp)
{
	static const char key[] = "{\"ts\":";
	if (strncmp(text, key, strlen(key)) != 0)
		return false;
	double milliseconds = strtod(text + strlen(key), NULL);
	bool sane = milliseconds > 0 && milliseconds < 1e15;
	*stamp = (struct stamp){.dated = sane, .at = sane ? (int64_t)(milliseconds / 1000) : 0};
	return sane;
}

struct stamp stamp_of(const char *line, size_t length, int64_t newest)
{
	struct stamp stamp = {0};
	char start[MAX_STAMP + 1] = "";
	if (length > 0)
		memcpy(start, line, length < MAX_STAMP ? length : MAX_STAMP);
	if (iso_stamp(start, &stamp) || json_stamp(start, &stamp))
		return stamp;
	const char *word = start;
	for (int words = 0; words < MAX_WORDS; words++) {
		if (klog_stamp(word, newest, &stamp))
			break;
		word += strcspn(word, " ");
		word += strspn(word, " ");
	}
	return stamp;
}

int64_t stamp_zone(int64_t local, int64_t moment)
{
	int64_t ahead = local - moment;
	int64_t quarters = (ahead + (ahead < 0 ? -QUARTER : QUARTER) / 2) / QUARTER;
	return llabs(ahead) > FARTHEST_ZONE + QUARTER ? 0 : quarters * QUARTER;
}
