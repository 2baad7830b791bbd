"""Errors that name the column or argument, the rule and the value got."""


class AleplotError(ValueError):
    """Base of the errors raised on purpose by this package."""


class FeatureError(AleplotError):
    """A feature is unknown, repeated, of an unusable type, or has unusable values."""

    #: Whether a call for all features leaves the column out with a warning.
    skippable = False


class ConstantFeatureError(FeatureError):
    """A feature has a single value or level, so that there is no interval to difference over."""

    skippable = True


class FeatureTypeError(FeatureError):
    """A feature is of a type that has neither an interval nor a level, such as a date."""

    skippable = True


class GridError(AleplotError):
    """A grid is unsorted, repeated, not finite, too short, or does not cover the data."""


class PredictionError(AleplotError):
    """The black box returned something that is not one finite number per row."""
