"""Five rows of the bike data."""

SMALL_BIKE = """\
instant,dteday,season,yr,mnth,holiday,weekday,workingday,weathersit,temp,atemp,hum,windspeed,cnt
1,2011-01-01,1,0,1,0,6,0,2,0.344167,0.363625,0.805833,0.160446,985
2,2011-01-02,2,0,2,1,0,0,1,0.363478,0.353739,0.696087,0.248539,801
3,2011-01-05,3,1,11,0,1,1,3,0.196364,0.189405,0.437273,0.248309,1349
4,2012-01-01,4,1,12,0,2,1,1,0.2,0.212122,0,0.160296,1562
5,2012-01-02,4,1,12,0,2,1,1,0.2,0.212122,0.5,0.160296,1600
"""


def columns_of(text):
    header, *rows = (line.split(",") for line in text.splitlines())
    return dict(zip(header, zip(*rows, strict=True), strict=True))
